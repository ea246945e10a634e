// The nearest neighbors of every word, and the weighted, undirected graph that
// they form. They do not depend on the number of threads.

#ifndef FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_
#define FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

// `count` other words for each of n words, each with a value: first its
// distance, later what is computed from the distances.
struct NeighborLists {
  size_t count = 0;
  std::vector<uint32_t> ids;  // [n, count], nearest first
  std::vector<float> values;  // [n, count]

  size_t size() const { return count == 0 ? 0 : ids.size() / count; }
  absl::Span<const uint32_t> Ids(size_t word) const {
    return {ids.data() + word * count, count};
  }
  absl::Span<float> Values(size_t word) {
    return {values.data() + word * count, count};
  }
  absl::Span<const float> Values(size_t word) const {
    return {values.data() + word * count, count};
  }
};

// Receives the fraction that is done. Returns false to stop the work.
using Continue = absl::FunctionRef<bool(double fraction)>;

// Maximum number of multiplications for comparing all words with all words,
// each pair counted twice. They take a minute and a half on one core, for
// 163,000 words of 300 dimensions.
inline constexpr double kMostProducts = 8e12;

// Returns the `count` words with the highest cosine to each word, without the
// word itself, or fewer if there are fewer words. The distance is 1 - cosine.
// Every word must have a nonzero norm. The result is exact if that takes at
// most `most_products` multiplications; otherwise nearly all neighbors are
// correct. Uses as many threads as OpenMP is set to. Errors: Cancelled,
// ResourceExhausted.
absl::StatusOr<NeighborLists> FindNeighborLists(
    const WordVectors& vectors, size_t count, Continue go_on,
    double most_products = kMostProducts);

// A weighted, undirected graph of words, stored by word. Each edge is stored
// with both of its words.
struct NeighborGraph {
  std::vector<size_t> begins;    // [n + 1], the first edge of each word
  std::vector<uint32_t> others;  // [edges], ascending within a word
  std::vector<float> weights;    // [edges]

  size_t size() const { return begins.size() - 1; }
};

// How the two weights of an edge, one from each of its words, become one. The
// weight is 0 for a word that does not have the edge.
enum class EdgeUnion {
  kProbability,  // a + b - a b, the probability that one of them exists
  kMean,         // (a + b) / 2
};

// Joins the lists, whose values are weights, with the same lists reversed.
NeighborGraph JoinLists(const NeighborLists& lists, EdgeUnion rule);

}  // namespace firth

#endif  // FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_
