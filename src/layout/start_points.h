// Where points begin.

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

// The rows' projections on their first two principal components, about their
// mean. Zeros where there is none. Errors: as of PrincipalComponents().
absl::StatusOr<std::vector<Point>> ProjectOnPlane(
    const FloatTable& rows, const std::atomic<bool>* stop);

// Scales the points so that the greatest coordinate is `extent`, and adds noise
// of a ten thousandth of that, so that no two stand at one place.
void SpreadPoints(float extent, uint64_t seed, std::vector<Point>* points);

// Anchored words at their places, the others at the mean of their neighbours'
// places, by the weights of the edges, from the anchored ones outwards; those
// that no edge leads to keep `points`. With noise as above. Places are set for
// one word at least.
void PlaceByAnchors(const NeighborGraph& graph, const Anchors& anchors,
                    uint64_t seed, std::vector<Point>* points);

}  // namespace firth

#endif  // FIRTH_LAYOUT_START_POINTS_H_
