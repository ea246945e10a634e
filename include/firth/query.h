// Asking word vectors: neighbors, analogies, similarity, odd one out.

#ifndef FIRTH_QUERY_H_
#define FIRTH_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/word_id.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct Neighbor {
  WordId word;
  float score;  // cosine in [-1, 1]; for AnalogyMethod::kMul the quotient
};

// How words are looked for that are near some vectors and far from others, as
// king - man + woman.
enum class AnalogyMethod {
  kAdd,  // 3CosAdd: the cosine with the sum of the unit vectors, each times its
         // weight (Mikolov et al. 2013)
  kMul,  // 3CosMul: cos(x, b)^w of all positive weights w, divided by
         // (cos(x, a) + .001)^-w of all negative ones, cosines shifted to
         // [0, 1] (Levy and Goldberg 2014, eq. 5, where weights are 1 and -1)
};

// The ways to look for neighbors. All give the exact cosines of the words that
// they find. The first finds the best ones; the second too, unless rounding was
// wrong by more than six standard deviations; the last finds nearly all.

// Computes the cosine of every word.
struct ExactSearch {
  static constexpr absl::string_view kName = "exact";
};
// Looks through the vectors rounded to bytes, a quarter of the memory traffic,
// for the words that may be among the best, and computes the cosines of those.
// Takes dim + 8 bytes a word more; nothing where the rows are bytes already.
struct Int8Search {
  static constexpr absl::string_view kName = "int8";
};
// Walks through a graph of the words that BuildHnswIndex() made.
struct HnswSearch {
  static constexpr absl::string_view kName = "hnsw";
  std::string path;   // of the index
  int breadth = 100;  // words looked at last, 1 to 1000000: more of them take
                      // longer and miss fewer; at least the answers asked for

  static FieldTable Fields();
};
using SearchOptions = std::variant<ExactSearch, Int8Search, HnswSearch>;

// One of many questions.
struct NeighborQuery {
  absl::Span<const float> vector;  // [dim]
  std::vector<WordId> exclude;     // words that are no answers
};

// A vector and how much it counts in a question.
struct QueryTerm {
  absl::Span<const float> vector;  // [dim]; may be that of an unknown word
  float weight = 1;                // below 0: the answers are far from it
};

// A question for words near a sum of terms, such as near king and woman and far
// from man.
struct SumQuery {
  std::vector<QueryTerm> terms;
  std::vector<WordId> exclude;  // words that are no answers
};

// The sum of the terms' unit vectors, each times its weight: [dim]. Of one word
// in each of its senses, of a group of words, or of a question; there is at
// least one term.
std::vector<float> SumOfUnitVectors(absl::Span<const QueryTerm> terms);

// Looks on all cores. Thread-safe after construction. Where `hooks` ask a
// search of many queries to stop, it ends within a block of words, and what it
// returns is of no use.
class NearestNeighbors {
 public:
  // Exact. Only the first `restrict` words (the most frequent) can be answers;
  // 0: all.
  explicit NearestNeighbors(WordVectors vectors, size_t restrict = 0);
  // Errors: InvalidArgument, a breadth that is not 1 to 1000000 or HnswSearch
  // with `restrict` (a graph holds all words); what LoadVectorFile() has for
  // files, FailedPrecondition for an index of other vectors, and Cancelled.
  static absl::StatusOr<NearestNeighbors> Create(WordVectors vectors,
                                                 const SearchOptions& search,
                                                 size_t restrict = 0,
                                                 const Hooks& hooks = {});
  ~NearestNeighbors();
  NearestNeighbors(NearestNeighbors&&) noexcept;
  NearestNeighbors& operator=(NearestNeighbors&&) noexcept;

  const WordVectors& vectors() const;
  // How many of the words, from the first, can be answers.
  size_t num_candidates() const;

  // The `top` words of greatest cosine with `query` [dim], best first, ties by
  // id, without those in `exclude`. A query of zeros has no direction and no
  // neighbors: here and in the calls below its answer is empty.
  std::vector<Neighbor> Find(absl::Span<const float> query, size_t top,
                             absl::Span<const WordId> exclude = {}) const;

  // The neighbors of a word, itself left out.
  std::vector<Neighbor> FindWord(WordId word, size_t top) const;

  // The same answers, to the same bits, for many queries: exact ones are found
  // several times as fast together, as a matrix product.
  std::vector<std::vector<Neighbor>> FindAll(
      absl::Span<const NeighborQuery> queries, size_t top,
      const Hooks& hooks = {}) const;
  std::vector<std::vector<Neighbor>> FindWords(absl::Span<const WordId> words,
                                               size_t top,
                                               const Hooks& hooks = {}) const;

  // The `top` words that are best by `method`, which has at least one term.
  // kMul looks at every word, however neighbors are looked for.
  std::vector<Neighbor> FindSum(const SumQuery& query, size_t top,
                                AnalogyMethod method) const;

  // x in "a is to b as c is to x", which is b - a + c; a, b and c are left out.
  std::vector<Neighbor> SolveAnalogy(WordId a, WordId b, WordId c, size_t top,
                                     AnalogyMethod method) const;

  // The cosine of every word that can be an answer with `query` [dim], by id.
  std::vector<float> Cosines(absl::Span<const float> query) const;

  // The words whose cosine with `query` [dim] is above `cosine`, best first,
  // ties by id, without those in `exclude`.
  std::vector<Neighbor> FindCloser(absl::Span<const float> query, float cosine,
                                   absl::Span<const WordId> exclude = {}) const;

  // The place of `other` among the neighbors of `word`, itself left out: 1 for
  // the nearest. Words with the same cosine share the better place. Both can be
  // answers: their ids are below num_candidates().
  size_t Rank(WordId word, WordId other) const;

 private:
  struct Index;
  explicit NearestNeighbors(std::unique_ptr<const Index> index);
  std::unique_ptr<const Index> index_;
};

// How an HNSW index is built (Malkov and Yashunin 2018).
struct HnswOptions {
  int links = 16;           // of a word to others, 2 to 128; twice as many on
                            // the lowest level (M)
  int build_breadth = 200;  // words looked at for them, 1 to 10000
                            // (efConstruction)
  uint64_t seed = 1;        // of the levels

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Builds an index of all words, on all cores, and writes it to `path`: whole or
// not at all. It belongs to these vectors only. The graph compares what
// distinguishes the vectors, their differences from the mean, so it also serves
// vectors that are nearly parallel. Errors: FailedPrecondition, a graph that
// finds fewer than half of the ten nearest neighbors of a sample of words with
// the default breadth (vectors in many tight groups, for example), after which
// there is no file; InvalidArgument, Cancelled, and those of SaveVectorFile().
absl::Status BuildHnswIndex(const WordVectors& vectors,
                            const HnswOptions& options, const std::string& path,
                            const Hooks& hooks = {});

// Whether there is a file at `path` that begins as such an index.
bool IsHnswIndex(const std::string& path);

// How much of `exact`, the right answers, `found` has: from 0 to 1. 1 if there
// are none.
double Recall(absl::Span<const Neighbor> exact,
              absl::Span<const Neighbor> found);

// Cosine of two words, in [-1, 1]; 0 if a vector is zero.
float Similarity(const WordVectors& vectors, WordId a, WordId b);
// Returns the cosine of two vectors of the same dim.
float Similarity(absl::Span<const float> a, absl::Span<const float> b);

// The cosines of each pair of vectors of one dim: [n, n], row by row.
std::vector<float> SimilarityMatrix(
    absl::Span<const absl::Span<const float>> vectors);

// The cosine of each vector with the mean of all unit vectors: how much it
// belongs to them. There is at least one.
std::vector<float> Centrality(
    absl::Span<const absl::Span<const float>> vectors);

// Which of the words is farthest from the mean of their unit vectors: a
// position in `words`, which holds at least 2.
size_t OddOneOut(const WordVectors& vectors, absl::Span<const WordId> words);
size_t OddOneOut(absl::Span<const absl::Span<const float>> vectors);

// Up to `count` words of the vocabulary spelled most like `word`: fewest edits
// (insert, delete, replace, swap of neighbors; by code points without case),
// then most frequent; none beyond a third of the word's length (at least 1
// edit).
std::vector<WordId> ClosestSpellings(const Vocabulary& vocabulary,
                                     absl::string_view word, size_t count);

// How to handle a word that is not in the vocabulary.
enum class UnknownWords {
  kSkip,     // what has such a word is not asked
  kSubword,  // its vector is made from its n-grams; skipped where it has none
  kError,    // NotFound
};

// Whether there are words and none has a capital letter, but for marks such as
// <UNK>. A word with one could not be found there, so that test sets and
// dictionaries are looked up in lower case.
bool IsLowercase(const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_QUERY_H_
