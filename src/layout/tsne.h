// t-SNE's two steps: probabilities from distances, then points that have nearly
// the same (van der Maaten and Hinton, "Visualizing Data using t-SNE", 2008;
// van der Maaten, "Accelerating t-SNE using Tree-Based Algorithms", 2014).

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

// The neighbours that are asked of a word: beyond three times the perplexity
// they weigh nothing.
size_t TsneNeighbors(const TsneMethod& method);

// Replaces each distance 1 - cos by exp(-2 beta (1 - cos)), over their sum,
// with a beta for each word that makes the perplexity of its probabilities, 2
// to the power of their entropy in bits, the one asked for: a third of the
// neighbours at most. 2 (1 - cos) is the squared distance of unit vectors.
void DistancesToProbabilities(double perplexity, NeighborLists* lists);

// Moves the points, a word of the graph each, whose weights are means of both
// directions' probabilities. On as many threads as OpenMP is set to, to the
// same bits whatever their number. Errors: Cancelled.
absl::Status OptimizeTsne(const NeighborGraph& graph, const TsneMethod& method,
                          const Anchors& anchors, Continue go_on,
                          std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_TSNE_H_
