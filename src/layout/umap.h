// UMAP's two steps: memberships from distances, then points that attract and
// repel one another (McInnes, Healy and Melville, "UMAP: Uniform Manifold
// Approximation and Projection for Dimension Reduction", 2018).

#ifndef FIRTH_LAYOUT_UMAP_H_
#define FIRTH_LAYOUT_UMAP_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "firth/layout.h"
#include "layout/anchors.h"
#include "layout/neighbor_graph.h"
#include "layout/neighbor_lists.h"
#include "layout/point.h"

namespace firth {

// Replaces each distance d by the membership exp(-max(0, d - r) / s), where r
// is the distance of the nearest neighbour and s such that a word's memberships
// add up to log2(count + 1) (algorithm 3 of the paper, where a word is one of
// its own neighbours).
void DistancesToMemberships(NeighborLists* lists);

// The curve 1 / (1 + a d^2b) that says how close two points at a distance d
// are.
struct UmapCurve {
  double a = 1;
  double b = 1;
};
// The one that comes nearest, by least squares on [0, 3], to 1 below min_dist
// and exp(min_dist - d) beyond.
UmapCurve FitUmapCurve(double min_dist);

// Moves the points, a word of the graph each. On as many threads as OpenMP is
// set to, to the same bits whatever their number. Errors: Cancelled.
absl::Status OptimizeUmap(const NeighborGraph& graph, const UmapMethod& method,
                          const Anchors& anchors, uint64_t seed, Continue go_on,
                          std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_UMAP_H_
