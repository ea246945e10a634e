// Draws words by their cosines with one or two axes, and maps of words, as dots
// of which some have names.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"
#include "plot/chart.h"
#include "plot/pictures.h"
#include "plot/svg.h"

namespace firth::tools {
namespace {

constexpr double kPlane = 640;
constexpr double kDot = 3.5;
constexpr double kEndSize = 13;
constexpr double kRow = 22;
constexpr double kBars = 420;

// Returns the range of the coordinates with a margin, including 0.
Scale AxisScale(const ProjectedWords& words,
                double ProjectedWord::*coordinate) {
  double low = 0, high = 0;
  for (const ProjectedWord& word : words.words) {
    low = std::min(low, word.*coordinate);
    high = std::max(high, word.*coordinate);
  }
  const double room = std::max(0.06 * (high - low), 0.01);
  return Scale(low - room, high + room, 6);
}

std::string Arrowed(const std::string& end, bool forward) {
  const std::string shown = Shown(end, 30);
  return forward ? absl::StrCat(shown, " \xe2\x86\x92")
                 : absl::StrCat("\xe2\x86\x90 ", shown);
}

// Draws the names of an axis at the ends of a line from left to right or, if
// turned, from bottom to top.
void DrawEnds(const AxisEnds& ends, const Box& line, double turn,
              const Theme& theme, Svg* svg) {
  TextStyle style = {.size = kEndSize, .color = theme.text, .bold = true};
  style.turn = turn;
  const Point from = {line.left, line.bottom};
  const Point to =
      turn != 0 ? Point{line.left, line.top} : Point{line.right, line.bottom};
  svg->Text(from, Arrowed(ends.from, false), style);
  style.anchor = Anchor::kEnd;
  svg->Text(to, Arrowed(ends.to, true), style);
}

void DrawZeroLines(const Scale& x, const Scale& y, const Box& box,
                   const Theme& theme, Svg* svg) {
  const double zero_x = x.Place(0, box.left, box.right);
  const double zero_y = y.Place(0, box.bottom, box.top);
  svg->Line({zero_x, box.top}, {zero_x, box.bottom}, theme.axis, 1.2);
  svg->Line({box.left, zero_y}, {box.right, zero_y}, theme.axis, 1.2);
}

// Returns where a line from the point meets the label.
Point Nearest(const Box& box, const Point& point) {
  return {std::clamp(point.x, box.left, box.right),
          std::clamp(point.y, box.top, box.bottom)};
}

size_t DrawDots(const std::vector<ProjectedWord>& words,
                const std::vector<Point>& dots, const Box& box,
                const Theme& theme, Svg* svg) {
  std::vector<Label> labels;
  for (size_t i = 0; i < words.size(); ++i) {
    labels.push_back({.text = Shown(words[i].word, 28),
                      .point = dots[i],
                      .size = kLabelSize,
                      .distance = kDot + 2});
  }
  const std::vector<PlacedLabel> placed =
      PlaceLabels(labels, dots, kDot, box, /*far=*/words.size() <= 400);
  for (const PlacedLabel& label : placed) {
    if (!label.led) continue;
    svg->Line(dots[label.label], Nearest(label.box, dots[label.label]),
              theme.axis, 0.7);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    svg->Circle(dots[i], kDot, theme.Series(0), Shown(words[i].word, 400));
  }
  for (const PlacedLabel& label : placed) {
    svg->Text(label.TextStart(kLabelSize), labels[label.label].text,
              {.size = kLabelSize, .color = theme.text, .halo = theme.ground});
  }
  return words.size() - placed.size();
}

Svg DrawPlane(const ProjectedWords& words, const Headline& headline,
              const Theme& theme, size_t* unnamed) {
  const double top =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 6;
  const Box box = {kMargin + 72, top, kMargin + 72 + kPlane * 1.3,
                   top + kPlane};
  Svg svg(box.right + kMargin, box.bottom + 62, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  const Scale x = AxisScale(words, &ProjectedWord::x);
  const Scale y = AxisScale(words, &ProjectedWord::y);
  DrawHorizontalScale(x, box, theme, &svg);
  DrawVerticalScale(y, box, theme, &svg);
  DrawZeroLines(x, y, box, theme, &svg);
  std::vector<Point> dots;
  for (const ProjectedWord& word : words.words) {
    dots.push_back({x.Place(word.x, box.left, box.right),
                    y.Place(word.y, box.bottom, box.top)});
  }
  *unnamed = DrawDots(words.words, dots, box, theme, &svg);
  DrawEnds(words.axes[0], {box.left, 0, box.right, box.bottom + 44}, 0, theme,
           &svg);
  DrawEnds(words.axes[1], {kMargin + kEndSize, box.top, 0, box.bottom}, -90,
           theme, &svg);
  return svg;
}

Svg DrawBars(const ProjectedWords& words, const Headline& headline,
             const Theme& theme) {
  std::vector<ProjectedWord> sorted = words.words;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.x > b.x; });
  std::vector<std::string> names;
  for (const auto& word : sorted) names.push_back(Shown(word.word, 32));
  const double top =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 34;
  const double left = kMargin + WidestText(names, kLabelSize) + 12;
  const Box box = {left, top, left + kBars,
                   top + kRow * static_cast<double>(names.size())};
  Svg svg(box.right + 64, box.bottom + 20 + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  const Scale scale = AxisScale(words, &ProjectedWord::x);
  DrawHorizontalScale(scale, box, theme, &svg);
  DrawEnds(words.axes[0], {box.left, 0, box.right, box.top - 12}, 0, theme,
           &svg);
  const double zero = scale.Place(0, box.left, box.right);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double y = box.top + kRow * (static_cast<double>(i) + 0.5);
    const double end = scale.Place(sorted[i].x, box.left, box.right);
    svg.Rectangle({std::min(zero, end), y - 6, std::max(zero, end), y + 6},
                  theme.Series(sorted[i].x < 0 ? 1 : 0));
    svg.Text({box.left - 10, y + 4}, names[i],
             {.size = kLabelSize, .color = theme.text, .anchor = Anchor::kEnd});
    svg.Text({box.right + 8, y + 4},
             absl::StrFormat("%+.3f",
                             std::abs(sorted[i].x) < 0.0005 ? 0 : sorted[i].x),
             {.size = kTickSize, .color = theme.muted});
  }
  svg.Line({zero, box.top}, {zero, box.bottom}, theme.axis, 1.2);
  return svg;
}

constexpr double kMapWidth = 1200;
constexpr double kClusterSize = 17;  // Font size of the coarsest level.
constexpr double kWordSize = 10;
// Maximum number of words to label; there is no room for more.
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

// Converts positions of the map to those of the picture, with the same scale in
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

constexpr size_t kNoCluster = std::numeric_limits<size_t>::max();

// Returns the nearest cluster of the coarsest level of each word, or kNoCluster
// if there is none.
std::vector<size_t> NearestClusters(const PlottedMap& map) {
  std::vector<size_t> nearest(map.words.size(), kNoCluster);
  for (size_t i = 0; i < map.words.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < map.clusters.size(); ++k) {
      const Point& center = map.clusters[k].at;
      const double distance =
          std::hypot(map.points[i].x - center.x, map.points[i].y - center.y);
      if (map.clusters[k].level != 0 || distance >= least) continue;
      least = distance;
      nearest[i] = k;
    }
  }
  return nearest;
}

// A map with positions of the picture.
struct PlacedMap {
  const PlottedMap& map;
  std::vector<size_t> nearest;  // Result of NearestClusters().
  Box box;
  double radius;  // Of a dot.
  std::vector<Point> dots;
  std::vector<Point> centers;  // Of the clusters.
};

// Moves the label of a cluster to its side if it would cover most of the dots
// around, and adds the covered dots to `*kept`.
void Uncover(const PlacedMap& placed, size_t cluster, Label* label,
             std::vector<Point>* kept) {
  const std::vector<PlacedLabel> centered =
      PlaceLabels({*label}, {}, 0, placed.box, /*far=*/false);
  if (centered.empty()) return;
  const Box& box = centered[0].box;
  const double margin = 2 * box.height();
  const Box around = {box.left - margin, box.top - margin, box.right + margin,
                      box.bottom + margin};
  size_t all = 0;
  double farthest = 0;
  std::vector<Point> covered;
  for (size_t i = 0; i < placed.dots.size(); ++i) {
    const Point& dot = placed.dots[i];
    const Box at = {dot.x, dot.y, dot.x, dot.y};
    if (placed.nearest[i] != cluster || !around.Overlaps(at)) continue;
    ++all;
    if (!box.Overlaps(at)) continue;
    covered.push_back(dot);
    farthest = std::max(farthest, std::abs(dot.y - label->point.y));
  }
  if (2 * covered.size() <= all) return;
  label->distance = farthest + placed.radius + 2;
  kept->insert(kept->end(), covered.begin(), covered.end());
}

// Returns the labels, those of clusters first. Sets `*kept` to the dots of
// small clusters, which no label may cover.
std::vector<Label> LabelsOf(const PlacedMap& placed, std::vector<Point>* kept) {
  const PlottedMap& map = placed.map;
  std::vector<Label> labels;
  std::vector<size_t> clusters(map.clusters.size());
  for (size_t i = 0; i < clusters.size(); ++i) clusters[i] = i;
  std::stable_sort(clusters.begin(), clusters.end(), [&](size_t a, size_t b) {
    return map.clusters[a].level < map.clusters[b].level;
  });
  // A name of a coarser level is not repeated at a finer one.
  absl::flat_hash_set<std::string> names;
  for (const size_t i : clusters) {
    if (!names.insert(map.clusters[i].name).second) continue;
    const double smaller = 2.5 * std::min(map.clusters[i].level, 2);
    labels.push_back({.text = Shown(map.clusters[i].name, 32),
                      .point = placed.centers[i],
                      .size = kClusterSize - smaller,
                      .bold = true,
                      .distance = 0});
    Uncover(placed, i, &labels.back(), kept);
  }
  for (size_t i = 0; i < std::min(map.words.size(), kMostNames); ++i) {
    labels.push_back({.text = Shown(map.words[i], 24),
                      .point = placed.dots[i],
                      .size = kWordSize,
                      .distance = 3});
  }
  return labels;
}

// The words of each color, and what the color means.
struct ColoredWords {
  std::vector<size_t> words;
  std::string name;
};

// Returns the words of the coarsest clusters, those with most words first, and
// last the words of all clusters for which there is no color.
std::vector<ColoredWords> ByCluster(const PlottedMap& map,
                                    const std::vector<size_t>& nearest) {
  std::vector<ColoredWords> clusters;
  for (const PlottedCluster& cluster : map.clusters) {
    clusters.push_back({{}, cluster.name});
  }
  ColoredWords rest = {{}, "other"};
  for (size_t i = 0; i < map.words.size(); ++i) {
    (nearest[i] == kNoCluster ? rest : clusters[nearest[i]]).words.push_back(i);
  }
  std::stable_sort(clusters.begin(), clusters.end(),
                   [](const auto& a, const auto& b) {
                     return a.words.size() > b.words.size();
                   });
  while (!clusters.empty() && (clusters.size() > CategoryColors().size() ||
                               clusters.back().words.empty())) {
    const std::vector<size_t>& words = clusters.back().words;
    rest.words.insert(rest.words.end(), words.begin(), words.end());
    clusters.pop_back();
  }
  clusters.push_back(std::move(rest));
  return clusters;
}

std::string ColorOf(const std::vector<ColoredWords>& groups, size_t i) {
  return i + 1 == groups.size() ? kOtherCategories : CategoryColors()[i];
}

// Returns no entry for a single color, which needs no explanation.
std::vector<LegendEntry> LegendOf(const std::vector<ColoredWords>& groups) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; groups.size() > 1 && i < groups.size(); ++i) {
    if (groups[i].words.empty()) continue;
    const std::string name = Shown(groups[i].name, 40);
    entries.push_back({DisplayWidth(absl::StripAsciiWhitespace(name)) > 0
                           ? name
                           : "(invisible name)",
                       ColorOf(groups, i)});
  }
  return entries;
}

void DrawColoredDots(const std::vector<ColoredWords>& groups,
                     const std::vector<Point>& dots, double radius, Svg* svg) {
  for (size_t i = groups.size(); i-- > 0;) {
    std::vector<Point> own;
    for (const size_t word : groups[i].words) own.push_back(dots[word]);
    svg->Dots(own, radius, ColorOf(groups, i), 0.85);
  }
}

}  // namespace

Svg DrawAxes(const ProjectedWords& words, const Headline& headline,
             const Theme& theme, size_t* unnamed) {
  *unnamed = 0;
  return words.axes.size() > 1 ? DrawPlane(words, headline, theme, unnamed)
                               : DrawBars(words, headline, theme);
}

Svg DrawMap(const PlottedMap& map, const Headline& headline, const Theme& theme,
            bool by_cluster) {
  const Projection projection(map.points, kMapWidth);
  const double top =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 6;
  std::vector<size_t> nearest = NearestClusters(map);
  const std::vector<ColoredWords> groups =
      by_cluster ? ByCluster(map, nearest) : std::vector<ColoredWords>();
  const std::vector<LegendEntry> legend = LegendOf(groups);
  const double legend_height =
      legend.empty() ? 0 : LegendHeight(legend, kMapWidth) + 6;
  const Box box = {kMargin, top + legend_height, kMargin + kMapWidth,
                   top + legend_height + projection.height()};
  Svg svg(box.right + kMargin, box.bottom + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  DrawLegend(legend, {box.left, top, box.right, box.top}, theme, &svg);
  const double radius = std::clamp(
      140 / std::sqrt(static_cast<double>(map.points.size())), 0.9, 3.0);
  PlacedMap all = {map, std::move(nearest), box, radius, {}, {}};
  for (const Point& point : map.points) {
    all.dots.push_back(projection.Place(point, box));
  }
  for (const PlottedCluster& cluster : map.clusters) {
    all.centers.push_back(projection.Place(cluster.at, box));
  }
  if (by_cluster) {
    DrawColoredDots(groups, all.dots, radius, &svg);
  } else {
    svg.Dots(all.dots, radius, theme.Series(0), 0.55);
  }
  std::vector<Point> kept;
  const std::vector<Label> labels = LabelsOf(all, &kept);
  for (const PlacedLabel& placed :
       PlaceLabels(labels, kept, radius, box, /*far=*/false)) {
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
