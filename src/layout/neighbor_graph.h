// A weighted graph of words without directions, stored by word.

#ifndef FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_
#define FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/neighbor_lists.h"

namespace firth {

// Each edge stands with both of its words.
struct NeighborGraph {
  std::vector<size_t> begins;    // [n + 1], of each word's edges
  std::vector<uint32_t> others;  // [edges], rising within a word
  std::vector<float> weights;    // [edges]

  size_t size() const { return begins.size() - 1; }
};

// How the weights of an edge as its two words have it become one; 0 stands for
// a word that does not have it.
enum class EdgeUnion {
  kProbability,  // a + b - a b: that one of both exists
  kMean,         // (a + b) / 2
};

// Joins the lists, whose values are weights, with those the other way round.
NeighborGraph JoinLists(const NeighborLists& lists, EdgeUnion rule);

}  // namespace firth

#endif  // FIRTH_LAYOUT_NEIGHBOR_GRAPH_H_
