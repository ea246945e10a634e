// The initial positions of points.

#ifndef FIRTH_LAYOUT_START_POINTS_H_
#define FIRTH_LAYOUT_START_POINTS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/matrix.h"
#include "layout/anchors.h"
#include "layout/neighbor_graph.h"
#include "layout/point.h"

namespace firth {

// Returns the projections of the rows on their first two principal components,
// relative to their mean. Missing components give zeros. Errors: those of
// PrincipalComponents().
absl::StatusOr<std::vector<Point>> ProjectOnPlane(
    const FloatTable& rows, const std::atomic<bool>* stop);

// Scales the points so that the maximum coordinate is `extent`, and adds noise
// of a ten thousandth of that, so that no two have the same position.
void SpreadPoints(float extent, uint64_t seed, std::vector<Point>* points);

// Puts anchored words at their positions, and the others at the mean of their
// neighbors' positions, weighted by the edges, from the anchored ones outwards.
// Words that no edge reaches keep `points`. Adds noise as above. At least one
// word must be anchored.
void PlaceByAnchors(const NeighborGraph& graph, const Anchors& anchors,
                    uint64_t seed, std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_START_POINTS_H_
