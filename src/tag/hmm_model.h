// A hidden Markov model of tagged sentences (Brants, "TnT: a statistical
// part-of-speech tagger", 2000). Each tag depends on the two tags before it,
// and each token on its tag:
//
//   p(tokens, tags) = prod_i p(t_i | t_{i-2}, t_{i-1}) p(w_i | t_i)
//   p(c | a, b) = l1 P(c) + l2 P(c | b) + l3 P(c | a, b)
//
// A boundary, numbered after the last tag, comes twice before the first token
// and once after the last one. The first tag depends only on the boundary, so
// for it p(c) = l1 P(c) + (l2 + l3) P(c | boundary).
//
// The tags of a token that was not seen in training are estimated from its
// ending. With P(t | i) for the last i characters and a weight q,
//
//   p(t | i) = (P(t | i) + q p(t | i - 1)) / (1 + q)
//   p(w | t) ~ p(t | longest known ending) / P(t)

#ifndef FIRTH_TAG_HMM_MODEL_H_
#define FIRTH_TAG_HMM_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"

namespace firth {

// Maximum number of tags that a token can have, which bounds the memory for a
// sentence. Tags of a token that are less probable than these are left out.
inline constexpr size_t kMostTagsOfWord = 32;

// Rows of a sparse matrix with tags as columns, of counts or probabilities.
struct SparseRows {
  static constexpr size_t kNone = SIZE_MAX;

  size_t rows() const { return offsets.size() - 1; }
  absl::Span<const uint32_t> Tags(size_t row) const {
    return absl::MakeConstSpan(tags).subspan(offsets[row], Size(row));
  }
  absl::Span<const double> Values(size_t row) const {
    return absl::MakeConstSpan(values).subspan(offsets[row], Size(row));
  }
  absl::Span<double> Values(size_t row) {
    return absl::MakeSpan(values).subspan(offsets[row], Size(row));
  }
  // Returns the index in `values`, or kNone if the row does not have the tag.
  size_t Find(size_t row, uint32_t tag) const;
  size_t Size(size_t row) const { return offsets[row + 1] - offsets[row]; }
  double Sum(size_t row) const;
  // Add a value to the last row, and end this row.
  void Add(uint32_t tag, double value) {
    tags.push_back(tag);
    values.push_back(value);
  }
  void FinishRow() { offsets.push_back(static_cast<uint32_t>(tags.size())); }

  std::vector<uint32_t> offsets = {0};  // [rows + 1]
  std::vector<uint32_t> tags;           // increasing in each row
  std::vector<double> values;           // [tags.size()]
};

// Divides the values of each row by their sum, unless this is 0.
void NormalizeRows(SparseRows* rows);
// Divides the values of each tag by their sum over all rows, unless this is 0.
void NormalizeTags(SparseRows* rows);

struct HmmModel {
  uint32_t boundary() const { return static_cast<uint32_t>(tags.size()); }

  std::vector<std::string> tags;
  std::array<double, 3> weights = {1, 0, 0};  // l1, l2, l3
  std::vector<double> unigrams;               // [tags + 1] P(c), none is 0
  SparseRows bigrams;                         // [tags + 1] P(c | b)
  // Row i has P(c | a, b) for value i of `bigrams`, which is P(b | a).
  SparseRows trigrams;
  Vocabulary words;
  SparseRows emissions;  // [words] p(word | tag)
  // Endings of words as HmmLexicon::SpellingOf() writes them. All endings of an
  // ending are in the list too, down to the last character, which is the class.
  // The first ending is a class.
  Vocabulary endings;
  SparseRows ending_tags;  // [endings] P(t | ending)
  double ending_weight = 1;
};

// The possible tags of a token in increasing order, and for each tag the
// probability of the token, up to a factor that all tags share.
struct TagCandidates {
  absl::Span<const uint32_t> tags;
  absl::Span<const double> emissions;
};

// Finds the possible tags of tokens. Used by one thread at a time.
class HmmLexicon {
 public:
  // Borrows the model.
  explicit HmmLexicon(const HmmModel& model);

  // Returns the candidates of a token, which are valid until the next call. The
  // first token of a sentence may be a known word with a capital letter.
  TagCandidates Find(absl::string_view token, bool is_first);
  // Returns the candidates that an unknown token would have.
  TagCandidates Guess(absl::string_view token, bool is_first);
  // Returns the candidates of a known word.
  TagCandidates Of(WordId word) const;

  // Returns a token in lower case with 0 for each digit, and after it a
  // character for its class: A with an initial capital, otherwise a.
  static std::string SpellingOf(absl::string_view token);

 private:
  void Add(uint32_t tag, double probability);
  void AddEndings(absl::string_view token);
  void AddWord(WordId word);

  const HmmModel& model_;
  std::vector<double> probabilities_;  // [tags] of the current token
  std::vector<uint32_t> found_;        // tags whose probability is not 0
  std::vector<double> emissions_;
};

// Returns the positions in a spelling at which its endings begin, the shortest
// ending first: the position of the class, then one for each character. At most
// `most` characters are counted.
std::vector<size_t> EndingsOf(absl::string_view spelling, size_t most);

}  // namespace firth

#endif  // FIRTH_TAG_HMM_MODEL_H_
