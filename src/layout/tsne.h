// The two steps of t-SNE. The first computes probabilities from distances, the
// second finds points with nearly the same probabilities (van der Maaten and
// Hinton, "Visualizing Data using t-SNE", 2008; van der Maaten, "Accelerating
// t-SNE using Tree-Based Algorithms", 2014).

#ifndef FIRTH_LAYOUT_TSNE_H_
#define FIRTH_LAYOUT_TSNE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "firth/layout.h"
#include "layout/anchors.h"
#include "layout/neighbor_graph.h"
#include "layout/neighbor_lists.h"
#include "layout/point.h"

namespace firth {

// Returns the number of neighbors that are required per word. Beyond three
// times the perplexity, neighbors have no weight.
size_t TsneNeighbors(const TsneMethod& method);

// Replaces each distance 1 - cos by exp(-2 beta (1 - cos)), normalized to sum
// to 1. The beta of each word is chosen so that the perplexity of its
// probabilities, 2 to the power of their entropy in bits, is `perplexity`, but
// at most a third of the number of neighbors. 2 (1 - cos) is the squared
// distance of unit vectors.
void DistancesToProbabilities(double perplexity, NeighborLists* lists);

// Moves the points, one per word of the graph. The weights of the graph are
// means of the probabilities of both directions. Uses as many threads as OpenMP
// is set to. The result is the same, bit for bit, for any number of threads.
// Errors: Cancelled.
absl::Status OptimizeTsne(const NeighborGraph& graph, const TsneMethod& method,
                          const Anchors& anchors, Continue go_on,
                          std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_TSNE_H_
