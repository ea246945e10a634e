// A map of words: all as dots, some with their names.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "plot/chart.h"
#include "plot/labels.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

constexpr double kMapWidth = 1200;
constexpr double kClusterSize = 17;  // of the font, of the coarsest level
constexpr double kWordSize = 10;
// Words beyond these are not tried: there is no room for more.
constexpr size_t kMostNames = 4000;

struct Bounds {
  double left, bottom, right, top;
};

Bounds BoundsOf(const std::vector<Point>& points) {
  Bounds bounds = {points[0].x, points[0].y, points[0].x, points[0].y};
  for (const Point& point : points) {
    bounds.left = std::min(bounds.left, point.x);
    bounds.right = std::max(bounds.right, point.x);
    bounds.bottom = std::min(bounds.bottom, point.y);
    bounds.top = std::max(bounds.top, point.y);
  }
  return bounds;
}

// Turns places of the map into those of the picture: one unit is as long in
// both directions.
class Projection {
 public:
  Projection(const std::vector<Point>& points, double width)
      : bounds_(BoundsOf(points)) {
    const double across = bounds_.right - bounds_.left;
    const double up = bounds_.top - bounds_.bottom;
    const double larger = std::max({across, up / 1.2, 1e-30});
    unit_ = width / larger;
    width_ = width;
    height_ = std::max(up * unit_, 0.25 * width);
  }

  double height() const { return height_; }
  Point Place(const Point& point, const Box& box) const {
    const double x = (point.x - (bounds_.left + bounds_.right) / 2) * unit_;
    const double y = (point.y - (bounds_.bottom + bounds_.top) / 2) * unit_;
    return {(box.left + box.right) / 2 + x, (box.top + box.bottom) / 2 - y};
  }

 private:
  Bounds bounds_;
  double unit_;
  double width_;
  double height_;
};

std::vector<Label> LabelsOf(const PlottedMap& map,
                            const std::vector<Point>& dots,
                            const std::vector<Point>& centers) {
  std::vector<Label> labels;
  std::vector<size_t> clusters(map.clusters.size());
  for (size_t i = 0; i < clusters.size(); ++i) clusters[i] = i;
  std::stable_sort(clusters.begin(), clusters.end(), [&](size_t a, size_t b) {
    return map.clusters[a].level < map.clusters[b].level;
  });
  // What names a place from far need not name it again from near.
  absl::flat_hash_set<std::string> names;
  for (const size_t i : clusters) {
    if (!names.insert(map.clusters[i].name).second) continue;
    const double smaller = 2.5 * std::min(map.clusters[i].level, 2);
    labels.push_back({.text = Shown(map.clusters[i].name, 32),
                      .point = centers[i],
                      .size = kClusterSize - smaller,
                      .bold = true,
                      .distance = 0});
  }
  for (size_t i = 0; i < std::min(map.words.size(), kMostNames); ++i) {
    labels.push_back({.text = Shown(map.words[i], 24),
                      .point = dots[i],
                      .size = kWordSize,
                      .distance = 3});
  }
  return labels;
}

}  // namespace

Svg DrawMap(const PlottedMap& map, const Headline& headline,
            const Theme& theme) {
  const Projection projection(map.points, kMapWidth);
  const double top =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 6;
  const Box box = {kMargin, top, kMargin + kMapWidth,
                   top + projection.height()};
  Svg svg(box.right + kMargin, box.bottom + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  std::vector<Point> dots, centers;
  for (const Point& point : map.points) {
    dots.push_back(projection.Place(point, box));
  }
  for (const PlottedCluster& cluster : map.clusters) {
    centers.push_back(projection.Place(cluster.at, box));
  }
  const double radius =
      std::clamp(140 / std::sqrt(static_cast<double>(dots.size())), 0.9, 3.0);
  svg.Dots(dots, radius, theme.Series(0), 0.55);
  const std::vector<Label> labels = LabelsOf(map, dots, centers);
  for (const PlacedLabel& placed :
       PlaceLabels(labels, {}, 0, box, /*far=*/false)) {
    const Label& label = labels[placed.label];
    svg.Text(placed.TextStart(label.size), label.text,
             {.size = label.size,
              .color = label.bold ? theme.text : theme.muted,
              .bold = label.bold,
              .halo = theme.ground});
  }
  return svg;
}

}  // namespace firth::tools
