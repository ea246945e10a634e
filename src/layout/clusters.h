// The dense regions of a map, with the words that label them.

#ifndef FIRTH_LAYOUT_CLUSTERS_H_
#define FIRTH_LAYOUT_CLUSTERS_H_

#include <vector>

#include "firth/layout.h"
#include "firth/vocabulary.h"
#include "layout/point.h"

namespace firth {

// Returns the peaks of the points' density as seen through Gaussians of three
// widths, which are fractions of the spread of the points; see WordMap. A peak
// has at least three words within reach. `points` has one point per word.
std::vector<MapCluster> FindClusters(const std::vector<Point>& points,
                                     const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_LAYOUT_CLUSTERS_H_
