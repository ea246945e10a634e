// The two steps of UMAP. The first computes memberships from distances, the
// second moves points that attract and repel one another (McInnes, Healy and
// Melville, "UMAP: Uniform Manifold Approximation and Projection for Dimension
// Reduction", 2018).

#ifndef FIRTH_LAYOUT_UMAP_H_
#define FIRTH_LAYOUT_UMAP_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "firth/layout.h"
#include "layout/neighbor_graph.h"
#include "layout/point.h"

namespace firth {

// Replaces each distance d by the membership exp(-max(0, d - r) / s). r is the
// distance of the nearest neighbor, and s is chosen so that the memberships of
// a word sum to log2(count + 1) (algorithm 3 of the paper, in which a word is
// one of its own neighbors).
void DistancesToMemberships(NeighborLists* lists);

// The curve 1 / (1 + a d^2b), which describes how close two points at distance
// d are.
struct UmapCurve {
  double a = 1;
  double b = 1;
};
// Returns the curve that is nearest, by least squares on [0, 3], to 1 below
// min_dist and exp(min_dist - d) above it.
UmapCurve FitUmapCurve(double min_dist);

// Moves the points, one per word of the graph. Uses as many threads as OpenMP
// is set to. The result is the same, bit for bit, for any number of threads.
// Errors: Cancelled.
absl::Status OptimizeUmap(const NeighborGraph& graph, const UmapMethod& method,
                          const Anchors& anchors, uint64_t seed, Continue go_on,
                          std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_UMAP_H_
