#include "plot/labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace firth::tools {
namespace {

// Boxes by the squares of a grid that they touch.
class TakenBoxes {
 public:
  void Add(const Box& box) {
    ForEachSquare(box, [&](int64_t square) {
      squares_[square].push_back(box);
      return true;
    });
  }

  bool IsFree(const Box& box) const {
    return ForEachSquare(box, [&](int64_t square) {
      const auto found = squares_.find(square);
      return found == squares_.end() ||
             std::none_of(
                 found->second.begin(), found->second.end(),
                 [&](const Box& taken) { return taken.Overlaps(box); });
    });
  }

 private:
  static constexpr double kSide = 32;

  // Until `visit` returns false; returns what it returned last.
  template <class Visit>
  static bool ForEachSquare(const Box& box, const Visit& visit) {
    for (auto x = Square(box.left); x <= Square(box.right); ++x) {
      for (auto y = Square(box.top); y <= Square(box.bottom); ++y) {
        if (!visit(x * 1'000'003 + y)) return false;
      }
    }
    return true;
  }
  static int64_t Square(double place) {
    return static_cast<int64_t>(std::floor(place / kSide));
  }

  absl::flat_hash_map<int64_t, std::vector<Box>> squares_;
};

Box BoxOf(const Label& label, double left, double top) {
  return {left, top, left + TextWidth(label.text, label.size, label.bold) + 2,
          top + label.size * 1.25};
}

// Boxes around the point at a distance, the best first: beside it, above,
// below, then at its corners.
std::vector<Box> Around(const Label& label, double distance) {
  const Box box = BoxOf(label, 0, 0);
  const double width = box.width(), height = box.height();
  const Point& at = label.point;
  const double near = distance * 0.7;
  const std::pair<double, double> corners[] = {
      {distance, -height / 2},          {-distance - width, -height / 2},
      {-width / 2, -distance - height}, {-width / 2, distance},
      {near, -near - height},           {near, near},
      {-near - width, -near - height},  {-near - width, near}};
  std::vector<Box> boxes;
  for (const auto& [left, top] : corners) {
    boxes.push_back(BoxOf(label, at.x + left, at.y + top));
  }
  return boxes;
}

std::vector<std::pair<Box, bool>> Candidates(const Label& label, bool far) {
  std::vector<std::pair<Box, bool>> candidates;
  if (label.distance == 0) {
    const Box box = BoxOf(label, 0, 0);
    return {{BoxOf(label, label.point.x - box.width() / 2,
                   label.point.y - box.height() / 2),
             false}};
  }
  for (const Box& box : Around(label, label.distance)) {
    candidates.emplace_back(box, false);
  }
  if (!far) return candidates;
  for (const double factor : {2.5, 4.0, 6.0, 9.0, 13.0}) {
    for (const Box& box : Around(label, factor * label.distance)) {
      candidates.emplace_back(box, true);
    }
  }
  return candidates;
}

}  // namespace

std::vector<PlacedLabel> PlaceLabels(const std::vector<Label>& labels,
                                     const std::vector<Point>& dots,
                                     double radius, const Box& area, bool far) {
  TakenBoxes taken;
  for (const Point& dot : dots) {
    taken.Add({dot.x - radius, dot.y - radius, dot.x + radius, dot.y + radius});
  }
  std::vector<PlacedLabel> placed;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (const auto& [box, led] : Candidates(labels[i], far)) {
      if (!area.Holds(box) || !taken.IsFree(box)) continue;
      taken.Add(box);
      placed.push_back({i, box, led});
      break;
    }
  }
  return placed;
}

}  // namespace firth::tools
