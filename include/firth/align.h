// Aligns two sets of vectors, of two languages or of two training runs: learns
// a rotation from pairs of words that mean the same, and finds translations.

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

// A source word and a target word that mean the same.
struct WordPair {
  WordId source;
  WordId target;
};

// The pairs of a dictionary file whose two words are both in their
// vocabularies.
struct BilingualDictionary {
  std::string file;             // Path of the file; empty for IdenticalWords().
  std::vector<WordPair> pairs;  // The distinct pairs, in the order of the file.
  uint64_t total_pairs = 0;     // Distinct pairs in the file.
  uint64_t total_words = 0;     // Distinct source words in the file.
  bool folded = false;          // Whether any word was looked up in lower case.
};

// Reads a file with one word and its translation per line, separated by a tab,
// or by white space if the line has no tab. A word may occur in several lines.
// Empty lines and lines that start with # are skipped. Errors: InvalidArgument,
// with file and line, also if there are no pairs; NotFound.
absl::StatusOr<BilingualDictionary> LoadDictionary(const std::string& path,
                                                   const Vocabulary& source,
                                                   const Vocabulary& target);

// Returns the words that both vocabularies spell the same way, in the order of
// the source.
BilingualDictionary IdenticalWords(const Vocabulary& source,
                                   const Vocabulary& target);

struct AlignOptions {
  // Learn from unit vectors, so that all pairs have the same weight (Xing et
  // al. 2015).
  bool unit_length = true;
  // Move the mean vector of the source onto that of the target (Artetxe et al.
  // 2016).
  bool center = false;
  // Number of refinement rounds, 0 to 1000. Each round learns the rotation
  // again from the words that are each other's best translation (Conneau et al.
  // 2018, section 2.2).
  int refine = 0;
  // Number of most frequent words of each side used for refinement; 0 means
  // all.
  uint64_t refine_words = 20'000;
  int neighbors = 10;  // Number of neighbors for CSLS, 1 to 1000.

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct AlignedVectors {
  WordVectors vectors;  // The rotated vectors of the source words.
  FloatTable rotation;  // The rotation W [dim, dim], an orthogonal matrix.
  // Number of pairs learned from: the given pairs first, then one number per
  // refinement round.
  std::vector<uint64_t> pairs;
};

// Rotates the source vectors into the space of the target vectors:
//
//   x -> W x                  keeps lengths; n-grams are rotated too
//   x -> W (x - s) + t        with `center`; s and t are the mean vectors
//
// With both `center` and `unit_length`, x, s and t are computed from unit
// vectors, and the n-grams are dropped.
//
// W is the orthogonal matrix that minimizes the sum of |W x - y|^2 over the
// pairs (x, y) (Schönemann 1966). Pairs that contain a vector of norm zero are
// left out. Errors: InvalidArgument, different dimensions or no pairs;
// ResourceExhausted.
absl::StatusOr<AlignedVectors> AlignVectors(const WordVectors& source,
                                            const WordVectors& target,
                                            absl::Span<const WordPair> pairs,
                                            const AlignOptions& options);

// Score by which translations are ranked.
enum class Retrieval {
  kCosine,
  // Cross-domain similarity local scaling (Conneau et al., "Word Translation
  // Without Parallel Data", ICLR 2018, eq. 3): 2 cos(x, y) - r_T(x) - r_S(y).
  // Here r is the mean cosine of a vector with its k nearest neighbors in the
  // other language. It penalizes hubs, words that are near neighbors of many
  // others.
  kCsls,
};

struct TranslateOptions {
  Retrieval retrieval = Retrieval::kCsls;
  int neighbors = 10;  // The k of CSLS, 1 to 1000.
  // Number of most frequent words that are candidate answers and from which r_T
  // and r_S are computed; 0 means all.
  uint64_t restrict = 200'000;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Finds translations, using all cores. Thread-safe after construction.
class Translator {
 public:
  // Creates a translator for vectors that are already in one space. For CSLS it
  // computes the neighbors of every target word. Errors: InvalidArgument,
  // different dimensions.
  static absl::StatusOr<Translator> Create(WordVectors source,
                                           WordVectors target,
                                           const TranslateOptions& options);

  // Returns the `top` best target words of each source word, best first, with
  // ties broken by id. The score is the cosine or the CSLS score.
  std::vector<std::vector<Neighbor>> Translate(absl::Span<const WordId> words,
                                               size_t top) const;

  // Returns whether both words are within TranslateOptions::restrict.
  bool Covers(const WordPair& pair) const;

 private:
  Translator(WordVectors source, WordVectors target,
             const TranslateOptions& options);

  WordVectors source_;
  WordVectors target_;
  TranslateOptions options_;
  size_t num_source_;  // Source words within the restriction.
  size_t num_target_;  // Target words within the restriction.
  // r_S(y) / 2, [num_target_], or empty without CSLS.
  std::vector<float> hub_penalties_;
};

// Accuracy of translations on a dictionary. A source word counts as correct if
// any of its translations is found.
struct TranslationResult {
  static constexpr std::array<size_t, 3> kRanks = {1, 5, 10};

  std::string file;
  // Words translated correctly within each rank.
  std::array<uint64_t, kRanks.size()> correct = {};
  uint64_t asked = 0;  // Source words that have at least one covered pair.
  uint64_t total = 0;  // Source words in the file.
  uint64_t pairs = 0;  // Covered pairs.
  uint64_t total_pairs = 0;  // Pairs in the file.
};
TranslationResult EvaluateTranslations(const Translator& translator,
                                       const BilingualDictionary& dictionary);

}  // namespace firth

#endif  // FIRTH_ALIGN_H_
