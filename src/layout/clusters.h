// The dense places of a map, with the words that tell what lies there.

#ifndef FIRTH_LAYOUT_CLUSTERS_H_
#define FIRTH_LAYOUT_CLUSTERS_H_

#include <vector>

#include "firth/layout.h"
#include "firth/vocabulary.h"
#include "layout/point.h"

namespace firth {

// The peaks of the points' density as seen through Gaussians of three widths,
// fractions of how far the points spread; see WordMap. A peak has three words
// or more within reach. points: a word each.
std::vector<MapCluster> FindClusters(const std::vector<Point>& points,
                                     const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_LAYOUT_CLUSTERS_H_
