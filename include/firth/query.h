// Queries on word vectors: neighbors, analogies, similarity, odd one out.

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
  float score;  // Cosine in [-1, 1], or the quotient for AnalogyMethod::kMul.
};

// Score for queries that combine vectors, such as king - man + woman.
enum class AnalogyMethod {
  // 3CosAdd: the cosine with the weighted sum of the unit vectors (Mikolov et
  // al. 2013).
  kAdd,
  // 3CosMul: the product of cos(x, b)^w over all positive weights w, divided by
  // the product of (cos(x, a) + .001)^-w over all negative ones. Cosines are
  // shifted to [0, 1] (Levy and Goldberg 2014, eq. 5, with weights 1 and -1).
  kMul,
};

// Methods to search for neighbors. All of them return the exact cosines of the
// words found. ExactSearch finds the best words. Int8Search does too, unless a
// rounding error exceeds six standard deviations. HnswSearch finds nearly all
// of them.

// Computes the cosine of every word.
struct ExactSearch {
  static constexpr absl::string_view kName = "exact";
};
// Scans the vectors rounded to bytes, a quarter of the memory traffic, and then
// computes the exact cosines of the words that may be among the best. Takes dim
// + 8 additional bytes per word, or none if the rows are already bytes.
struct Int8Search {
  static constexpr absl::string_view kName = "int8";
};
// Searches a graph of the words that BuildHnswIndex() made.
struct HnswSearch {
  static constexpr absl::string_view kName = "hnsw";
  std::string path;  // Path of the index file.
  // Candidates in the final search, 1 to 1000000. More candidates take longer
  // and miss fewer words. It is raised to the number of requested answers.
  int breadth = 100;

  static FieldTable Fields();
};
using SearchOptions = std::variant<ExactSearch, Int8Search, HnswSearch>;

// One of several queries.
struct NeighborQuery {
  absl::Span<const float> vector;  // The query vector, [dim].
  std::vector<WordId> exclude;     // Words that must not be answers.
};

// A vector and its weight in a query.
struct QueryTerm {
  // [dim]; may be the vector of an unknown word.
  absl::Span<const float> vector;
  float weight = 1;  // Negative if answers should be far from the vector.
};

// A query for words near some vectors and far from others.
struct SumQuery {
  std::vector<QueryTerm> terms;
  std::vector<WordId> exclude;  // Words that must not be answers.
};

// Returns the weighted sum of the terms' unit vectors: [dim]. There must be at
// least one term. Useful for a word with several senses, a group of words, or a
// query.
std::vector<float> SumOfUnitVectors(absl::Span<const QueryTerm> terms);

// Finds nearest neighbors, using all cores. Thread-safe after construction. If
// `hooks` request a stop, a search for many queries ends within a block of
// words, and its result must be discarded.
class NearestNeighbors {
 public:
  // Creates an exact search. Only the first `restrict` words, the most
  // frequent, can be answers; 0 means all.
  explicit NearestNeighbors(WordVectors vectors, size_t restrict = 0);
  // Creates a search of any kind. Errors: InvalidArgument, a breadth that is
  // not 1 to 1000000, or HnswSearch with `restrict` (a graph holds all words);
  // those of LoadVectorFile() for reading the index; FailedPrecondition, an
  // index of other vectors; Cancelled.
  static absl::StatusOr<NearestNeighbors> Create(WordVectors vectors,
                                                 const SearchOptions& search,
                                                 size_t restrict = 0,
                                                 const Hooks& hooks = {});
  ~NearestNeighbors();
  NearestNeighbors(NearestNeighbors&&) noexcept;
  NearestNeighbors& operator=(NearestNeighbors&&) noexcept;

  const WordVectors& vectors() const;
  // Returns how many words can be answers, counted from the first.
  size_t num_candidates() const;

  // Returns the `top` words with the highest cosine to `query` [dim], best
  // first, with ties broken by id, without those in `exclude`. A zero query has
  // no direction and no neighbors: the answer is empty, here and in the
  // functions below.
  std::vector<Neighbor> Find(absl::Span<const float> query, size_t top,
                             absl::Span<const WordId> exclude = {}) const;

  // Returns the neighbors of a word, without the word itself.
  std::vector<Neighbor> FindWord(WordId word, size_t top) const;

  // Returns the same answers, bit for bit, for many queries. Exact answers for
  // many queries together are several times as fast, as they are computed by a
  // matrix product.
  std::vector<std::vector<Neighbor>> FindAll(
      absl::Span<const NeighborQuery> queries, size_t top,
      const Hooks& hooks = {}) const;
  std::vector<std::vector<Neighbor>> FindWords(absl::Span<const WordId> words,
                                               size_t top,
                                               const Hooks& hooks = {}) const;

  // Returns the `top` best words by `method`. The query must have at least one
  // term. kMul scores every word, whatever the search method.
  std::vector<Neighbor> FindSum(const SumQuery& query, size_t top,
                                AnalogyMethod method) const;

  // Returns x in "a is to b as c is to x", computed as b - a + c, without a, b
  // and c.
  std::vector<Neighbor> SolveAnalogy(WordId a, WordId b, WordId c, size_t top,
                                     AnalogyMethod method) const;

  // Returns the cosine of `query` [dim] with every word that can be an answer,
  // by id.
  std::vector<float> Cosines(absl::Span<const float> query) const;

  // Returns the words whose cosine with `query` [dim] is above `cosine`, best
  // first, with ties broken by id, without those in `exclude`.
  std::vector<Neighbor> FindCloser(absl::Span<const float> query, float cosine,
                                   absl::Span<const WordId> exclude = {}) const;

  // Returns the rank of `other` among the neighbors of `word`, without `word`
  // itself; 1 is the nearest. Words with equal cosine share the better rank.
  // Both ids must be below num_candidates().
  size_t Rank(WordId word, WordId other) const;

 private:
  struct Index;
  explicit NearestNeighbors(std::unique_ptr<const Index> index);
  std::unique_ptr<const Index> index_;
};

// Options for building an HNSW index (Malkov and Yashunin 2018).
struct HnswOptions {
  // Links per word, 2 to 128, and twice as many on the lowest level (M).
  int links = 16;
  // Candidates examined for the links of a word, 1 to 10000 (efConstruction).
  int build_breadth = 200;
  uint64_t seed = 1;  // Seed of the levels.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Builds an index of all words, using all cores, and writes it to `path`, whole
// or not at all. The index is valid for these vectors only. The graph compares
// the differences of vectors from their mean, so that it also works for vectors
// that are nearly parallel. Errors: FailedPrecondition, a graph that finds
// fewer than half of the ten nearest neighbors of a sample of words with the
// default breadth (for example because vectors form many tight groups), in
// which case no file is written; InvalidArgument, Cancelled, and those of
// SaveVectorFile().
absl::Status BuildHnswIndex(const WordVectors& vectors,
                            const HnswOptions& options, const std::string& path,
                            const Hooks& hooks = {});

// Returns whether the file at `path` exists and begins like an HNSW index.
bool IsHnswIndex(const std::string& path);

// Returns the fraction of `exact`, the correct answers, that `found` contains,
// from 0 to 1; 1 if there are none.
double Recall(absl::Span<const Neighbor> exact,
              absl::Span<const Neighbor> found);

// Returns the cosine of two words, in [-1, 1]; 0 if a vector is zero.
float Similarity(const WordVectors& vectors, WordId a, WordId b);
// Returns the cosine of two vectors of the same dimension.
float Similarity(absl::Span<const float> a, absl::Span<const float> b);

// Returns the cosines of all pairs of vectors of the same dimension: [n, n],
// row by row.
std::vector<float> SimilarityMatrix(
    absl::Span<const absl::Span<const float>> vectors);

// Returns the cosine of each vector with the mean of all unit vectors, a
// measure of how typical it is of them. There must be at least one vector.
std::vector<float> Centrality(
    absl::Span<const absl::Span<const float>> vectors);

// Returns the index of the word that is farthest from the mean of the unit
// vectors. There must be at least 2 words.
size_t OddOneOut(const WordVectors& vectors, absl::Span<const WordId> words);
size_t OddOneOut(absl::Span<const absl::Span<const float>> vectors);

// Returns up to `count` words with the spelling most similar to `word`: fewest
// edits first (insert, delete, replace, swap of adjacent code points, ignoring
// case), then most frequent. Words that need more edits than a third of the
// word's length (or than 1) are left out. A word of more than 64 code points
// has no similar words.
std::vector<WordId> ClosestSpellings(const Vocabulary& vocabulary,
                                     absl::string_view word, size_t count);

// Handling of words that are not in the vocabulary.
enum class UnknownWords {
  kSkip,  // Skip whatever contains such a word.
  // Build the vector from the word's n-grams; skip the word if it has none.
  kSubword,
  kError,  // Fail with NotFound.
};

// Returns whether the vocabulary is not empty and no word has a capital letter,
// apart from special tokens such as <UNK>. Words with capital letters could not
// be found in it, so test sets and dictionaries are then looked up in lower
// case.
bool IsLowercase(const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_QUERY_H_
