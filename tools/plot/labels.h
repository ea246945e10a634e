// Finding places for the names of points, so that no name lies on another or on
// a point.

#ifndef FIRTH_TOOLS_PLOT_LABELS_H_
#define FIRTH_TOOLS_PLOT_LABELS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plot/svg.h"

namespace firth::tools {

struct Label {
  std::string text;  // as Shown() made it
  Point point;       // that it names
  double size = 12;
  bool bold = false;
  double distance = 5;  // from the point; 0: it lies upon it, in the middle
};

struct PlacedLabel {
  size_t label;  // position in the list
  Box box;
  // Whether it is so far from its point that a line has to lead there.
  bool led = false;

  // Where its text stands.
  Point TextStart(double size) const {
    return {box.left + 1, box.bottom - size * 0.28};
  }
};

// Gives places within `area` to as many labels as there is room for, the first
// ones first, near their points or, with `far`, where those are taken, farther
// off. dots: that no label covers; `radius` around each.
std::vector<PlacedLabel> PlaceLabels(const std::vector<Label>& labels,
                                     const std::vector<Point>& dots,
                                     double radius, const Box& area, bool far);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_LABELS_H_
