// The places that words have on an older map, and the pull back to them.

#ifndef FIRTH_LAYOUT_ANCHORS_H_
#define FIRTH_LAYOUT_ANCHORS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/point.h"

namespace firth {

struct Anchors {
  std::vector<std::optional<Point>> places;  // [words]; or empty: none
  double hold = 1;                           // MapOptions::hold

  // Where a point is after a spring drew it back whose strength, as against a
  // step of size `rate`, is hold / (1 - hold): at once to its place for 1.
  Point Drawn(size_t word, Point point, double rate) const {
    if (places.empty() || !places[word].has_value()) return point;
    if (hold == 1) return *places[word];  // to the last bit
    const double share = hold * rate / (1 - hold + hold * rate);
    return point + static_cast<float>(share) * (*places[word] - point);
  }
};

}  // namespace firth

#endif  // FIRTH_LAYOUT_ANCHORS_H_
