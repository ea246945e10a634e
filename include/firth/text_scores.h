// Scores of generated texts against reference texts.

#ifndef FIRTH_TEXT_SCORES_H_
#define FIRTH_TEXT_SCORES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

enum class BleuTokens {
  k13a,   // Those of mteval-v13a, the default of sacreBLEU.
  kNone,  // Words separated by spaces.
};

// BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine
// translation", 2002) of a set of texts with one reference each. It is computed
// as in sacreBLEU (Post, "A call for clarity in reporting BLEU scores", 2018):
// the case counts, and if no n-gram of a length matches, its precision is
// smoothed exponentially.
struct Bleu {
  double score = 0;                       // 0 to 100.
  std::array<double, 4> precisions = {};  // In percent.
  double brevity_penalty = 0;
  uint64_t length = 0;            // Tokens of the texts,
  uint64_t reference_length = 0;  // and of their references.
  // Describes how the score was computed, in sacreBLEU's form.
  std::string signature;
};

struct TextScores {
  uint64_t texts = 0;
  Bleu bleu;
  // F score of character n-grams up to 6 (Popović, "chrF: character n-gram
  // F-score for automatic MT evaluation", 2015), with beta 2, 0 to 100.
  double chrf = 0;
  double exact = 0;  // Fraction of texts that equal their reference.
  // Mean edit distance (Levenshtein 1966) in characters.
  double edit_distance = 0;
};

// Collects texts.
class ReferenceScorer {
 public:
  // `lowercased` is whether texts and references were converted to lower case,
  // which the signature says.
  explicit ReferenceScorer(BleuTokens tokens = BleuTokens::k13a,
                           bool lowercased = false)
      : tokens_(tokens), lowercased_(lowercased) {}

  // Adds a text and its reference, both valid UTF-8.
  void Add(absl::string_view text, absl::string_view reference);
  // Returns the scores of all texts so far.
  TextScores scores() const;

 private:
  static constexpr size_t kCharacterOrders = 6;
  // Numbers of n-grams of a length.
  struct NGramCounts {
    uint64_t text = 0;
    uint64_t reference = 0;
    uint64_t matches = 0;
  };

  Bleu BleuOfAll() const;
  double ChrfOfAll() const;

  BleuTokens tokens_;
  bool lowercased_;
  uint64_t texts_ = 0;
  uint64_t exact_ = 0;
  uint64_t edits_ = 0;
  uint64_t length_ = 0;
  uint64_t reference_length_ = 0;
  std::array<NGramCounts, 4> words_ = {};
  std::array<NGramCounts, kCharacterOrders> characters_ = {};
};

}  // namespace firth

#endif  // FIRTH_TEXT_SCORES_H_
