// Asking word vectors: neighbours, analogies, similarity, odd one out, and
// evaluation on the field's test sets.

#ifndef FIRTH_QUERY_H_
#define FIRTH_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_id.h"
#include "firth/word_vectors.h"

namespace firth {

struct Neighbor {
  WordId word;
  float score;  // cosine in [-1, 1]; for AnalogyMethod::kMul the quotient
};

enum class AnalogyMethod {
  kAdd,  // 3CosAdd: cos(x, b - a + c) on unit vectors (Mikolov et al. 2013)
  kMul,  // 3CosMul: cos(x,b) cos(x,c) / (cos(x,a) + .001), cosines shifted to
         // [0, 1] (Levy and Goldberg 2014, eq. 5)
};

// Answers by scanning all words (exact), on all cores.
// Keeps one float a word besides the vectors. Thread-safe after construction.
class NearestNeighbors {
 public:
  // Only the first `restrict` words (the most frequent) can be answers; 0: all.
  explicit NearestNeighbors(WordVectors vectors, size_t restrict = 0);
  ~NearestNeighbors();
  NearestNeighbors(NearestNeighbors&&) noexcept;
  NearestNeighbors& operator=(NearestNeighbors&&) noexcept;

  const WordVectors& vectors() const;

  // The `top` words of greatest cosine with `query` [dim], best first, ties by
  // id, without those in `exclude`. A zero query has cosine 0 with all.
  std::vector<Neighbor> Find(absl::Span<const float> query, size_t top,
                             absl::Span<const WordId> exclude = {}) const;

  // The neighbours of a word, itself left out.
  std::vector<Neighbor> FindWord(WordId word, size_t top) const;

  // x in "a is to b as c is to x"; a, b and c are left out.
  std::vector<Neighbor> SolveAnalogy(WordId a, WordId b, WordId c, size_t top,
                                     AnalogyMethod method) const;

 private:
  struct Index;
  std::unique_ptr<const Index> index_;
};

// Cosine of two words, in [-1, 1]; 0 if a vector is zero.
float Similarity(const WordVectors& vectors, WordId a, WordId b);

// Which of the words is farthest from the mean of their unit vectors: a
// position in `words`, which holds at least 2.
size_t OddOneOut(const WordVectors& vectors, absl::Span<const WordId> words);

// Up to `count` words of the vocabulary spelled most like `word`: fewest edits
// (insert, delete, replace, swap of neighbours; by code points, case ignored
// for ASCII), then most frequent; none beyond a third of the word's length (at
// least 1 edit).
std::vector<WordId> ClosestSpellings(const Vocabulary& vocabulary,
                                     absl::string_view word, size_t count);

struct EvaluateOptions {
  size_t restrict = 0;     // answers among the N most frequent words; 0: all.
                           // Questions with a word beyond are not asked.
  bool lowercase = false;  // fold the words of the test set (Unicode)
  AnalogyMethod method = AnalogyMethod::kAdd;
};

// A proportion with its 95% interval (Wilson 1927).
struct Interval {
  double low = 0;
  double high = 1;
};
Interval WilsonInterval(uint64_t correct, uint64_t asked);

struct AnalogySection {
  std::string name;  // empty for questions before any ": name" line
  uint64_t correct = 0;
  uint64_t asked = 0;  // all four words known
  uint64_t total = 0;
};
struct AnalogyResult {
  std::string file;
  std::vector<AnalogySection> sections;
  uint64_t correct = 0;
  uint64_t asked = 0;
  uint64_t total = 0;
};

// Reads a questions-words file (": section" lines, else four words a line;
// sections are optional; empty lines and lines that start with # are skipped)
// and answers all questions. Errors name file and line.
absl::StatusOr<AnalogyResult> EvaluateAnalogies(const WordVectors& vectors,
                                                const std::string& path,
                                                const EvaluateOptions& options);

struct SimilarityResult {
  std::string file;
  double spearman = 0;  // rank correlation, average ranks for ties; NaN if < 2
  double low = 0;  // 95% interval (Fisher transform, Bonett and Wright 2000)
  double high = 0;
  uint64_t asked = 0;  // pairs with both words known
  uint64_t total = 0;
};

// Reads a word-similarity file (word, word, score, more columns are ignored;
// separated by tabs, else commas or semicolons, else spaces; a header is a
// first line whose third column is no number; where its first column is empty,
// the lines start with their number; # starts a comment line). Errors name file
// and line. options.restrict is not used: there is no search.
absl::StatusOr<SimilarityResult> EvaluateSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateOptions& options);

}  // namespace firth

#endif  // FIRTH_QUERY_H_
