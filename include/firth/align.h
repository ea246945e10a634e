// Two languages, or two trainings, in one space: learning a rotation from words
// that mean the same, and finding translations.

#ifndef FIRTH_ALIGN_H_
#define FIRTH_ALIGN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "firth/query.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// A word of the source and one of the target that mean the same.
struct WordPair {
  WordId source;
  WordId target;
};

// The pairs of a file whose words are both known.
struct BilingualDictionary {
  std::string file;             // empty for IdenticalWords()
  std::vector<WordPair> pairs;  // each once, in the order of the file
  uint64_t total_pairs = 0;     // different ones of the file
  uint64_t total_words = 0;     // different source words of the file
  bool folded = false;          // a word was looked up in lower case
};

// Reads a word and its translation a line, with a tab between them, else white
// space; a word may stand in several lines. Empty lines and lines that start
// with # are skipped. Errors: InvalidArgument, with file and line, also when
// there are no pairs; NotFound.
absl::StatusOr<BilingualDictionary> LoadDictionary(const std::string& path,
                                                   const Vocabulary& source,
                                                   const Vocabulary& target);

// The words that are spelled the same in both, in the order of the source.
BilingualDictionary IdenticalWords(const Vocabulary& source,
                                   const Vocabulary& target);

struct AlignOptions {
  bool unit_length = true;  // learn from unit vectors, so that all pairs weigh
                            // the same (Xing et al. 2015)
  bool center = false;      // move the mean vector of the source onto that of
                            // the target (Artetxe et al. 2016)
  int refine = 0;  // rounds, 0 to 1000: learn again from the words that
                   // are each other's best translation (Conneau et al.
                   // 2018, 2.2)
  uint64_t refine_words = 20'000;  // looked at for that, the most frequent of
                                   // both; 0: all
  int neighbors = 10;              // for CSLS, 1 to 1000

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct AlignedVectors {
  WordVectors vectors;          // of the source's words
  FloatTable rotation;          // W [dim, dim], orthogonal
  std::vector<uint64_t> pairs;  // learned from: those given, then each round's
};

// Rotates the source's vectors into the target's space:
//
//   x -> W x                  lengths stay, n-grams come along
//   x -> W (x - s) + t        with `center`, s and t being the mean vectors;
//                             with `unit_length`, too, x, s and t are those of
//                             unit vectors, and n-grams are left out
//
// by the orthogonal W that makes sum |W x - y|^2 over the pairs (x, y) least
// (Schönemann 1966). Pairs with a vector without a norm are left out. Errors:
// InvalidArgument, dimensions that differ, no pairs; ResourceExhausted.
absl::StatusOr<AlignedVectors> AlignVectors(const WordVectors& source,
                                            const WordVectors& target,
                                            absl::Span<const WordPair> pairs,
                                            const AlignOptions& options);

// How translations are ranked.
enum class Retrieval {
  kCosine,
  // Cross-domain similarity local scaling (Conneau et al., "Word Translation
  // Without Parallel Data", ICLR 2018, eq. 3): 2 cos(x, y) - r_T(x) - r_S(y),
  // with the mean cosines of a vector with its k nearest in the other language.
  // Takes off what makes some words everybody's neighbors.
  kCsls,
};

struct TranslateOptions {
  Retrieval retrieval = Retrieval::kCsls;
  int neighbors = 10;           // k of CSLS, 1 to 1000
  uint64_t restrict = 200'000;  // answers, and the words that r_T and r_S are
                                // about: the most frequent; 0: all

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Finds translations, on all cores. Thread-safe after construction.
class Translator {
 public:
  // The vectors are in one space. For CSLS it looks for the neighbors of every
  // target word. Errors: InvalidArgument, dimensions that differ.
  static absl::StatusOr<Translator> Create(WordVectors source,
                                           WordVectors target,
                                           const TranslateOptions& options);

  // The `top` best target words for each source word, best first, ties by id;
  // the score is the cosine or that of CSLS.
  std::vector<std::vector<Neighbor>> Translate(absl::Span<const WordId> words,
                                               size_t top) const;

  // Whether both words are among those of TranslateOptions::restrict.
  bool Covers(const WordPair& pair) const;

 private:
  Translator(WordVectors source, WordVectors target,
             const TranslateOptions& options);

  WordVectors source_;
  WordVectors target_;
  TranslateOptions options_;
  size_t num_source_;                 // words within the restriction
  size_t num_target_;                 // likewise
  std::vector<float> hub_penalties_;  // r_S(y) / 2 [num_target_]; or empty
};

// A word counts as translated if any of its translations is found.
struct TranslationResult {
  static constexpr std::array<size_t, 3> kRanks = {1, 5, 10};

  std::string file;
  std::array<uint64_t, kRanks.size()> correct = {};  // words, within each rank
  uint64_t asked = 0;        // source words with a pair that is covered
  uint64_t total = 0;        // source words of the file
  uint64_t pairs = 0;        // covered
  uint64_t total_pairs = 0;  // of the file
};
TranslationResult EvaluateTranslations(const Translator& translator,
                                       const BilingualDictionary& dictionary);

}  // namespace firth

#endif  // FIRTH_ALIGN_H_
