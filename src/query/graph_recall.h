// Measures how many of the nearest neighbors a graph finds (recall).

#ifndef FIRTH_QUERY_GRAPH_RECALL_H_
#define FIRTH_QUERY_GRAPH_RECALL_H_

#include <cstddef>

#include "firth/progress.h"
#include "firth/word_vectors.h"
#include "query/hnsw_graph.h"

namespace firth {

// Minimum fraction of the ten nearest neighbors that a graph must find, on
// average. A graph that finds fewer is useless, because it answers with other
// words.
constexpr double kLeastRecall = 0.5;

// Returns the fraction of the ten nearest neighbors that the graph of all
// `vectors` finds with this breadth, averaged over a few hundred words from
// frequent to rare. Words that are as near as the tenth count as found. Returns
// 1 if no word has a vector. If `hooks` request a stop, the result must be
// discarded.
double MeasureRecall(const HnswGraph& graph, const WordVectors& vectors,
                     size_t breadth, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_QUERY_GRAPH_RECALL_H_
