// A weighted, undirected graph of words, stored by word.

#ifndef FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_
#define FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/neighbor_lists.h"

namespace firth {

// Each edge is stored with both of its words.
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
