// Elements are written in the order in which they are drawn, so that later ones
// cover earlier ones.

#include "plot/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cli/console.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

// Returns a number with at most two decimals.
std::string Number(double value) {
  const double rounded = std::round(value * 100) / 100;
  return absl::StrCat(rounded == 0 ? 0 : rounded);
}

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Returns the number of bytes of the first character of valid UTF-8.
size_t FirstBytes(absl::string_view text) {
  size_t bytes = 1;
  while (bytes < text.size() &&
         (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) {
    ++bytes;
  }
  return bytes;
}

// Returns the maximum width of a character as a fraction of the font size, for
// DejaVu Sans and Verdana, which are wider than Arial, Helvetica and Roboto.
double CharacterWidth(absl::string_view character) {
  if (character.size() == 1) {
    const char c = character[0];
    if (absl::StrContains("mMW@%", c)) return 1.0;
    if (absl::StrContains("ijl.,:;'|! ", c)) return 0.36;
    if (absl::StrContains("frtI()[]{}/\\-`\"", c)) return 0.47;
    if (absl::StrContains("wOQGHNDU+=<>~#^_&", c)) return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.72 : 0.64;
  }
  const size_t columns = DisplayWidth(character);
  if (columns == 0) return 0;
  return columns == 2 ? 1.3 : 0.95;
}

absl::string_view NameOf(Anchor anchor) {
  switch (anchor) {
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
    default:
      return "start";
  }
}

using Rgb = std::array<double, 3>;  // 0 to 255

// Eleven colors of viridis, evenly spaced.
constexpr Rgb kScale[] = {{68, 1, 84},    {72, 36, 117},  {65, 68, 135},
                          {53, 95, 141},  {42, 120, 142}, {33, 145, 140},
                          {34, 168, 132}, {68, 191, 112}, {122, 209, 81},
                          {189, 223, 38}, {253, 231, 37}};

Rgb OnScale(double value) {
  const double place =
      std::clamp(value, 0.0, 1.0) * static_cast<double>(std::size(kScale) - 1);
  const size_t below =
      std::min(static_cast<size_t>(place), std::size(kScale) - 2);
  const double share = place - static_cast<double>(below);
  Rgb color;
  for (size_t i = 0; i < 3; ++i) {
    color[i] = kScale[below][i] * (1 - share) + kScale[below + 1][i] * share;
  }
  return color;
}

// Returns the relative luminance of sRGB (WCAG 2.1).
double Luminance(const Rgb& color) {
  const auto linear = [](double part) {
    const double value = part / 255;
    return value <= 0.04045 ? value / 12.92
                            : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) +
         0.0722 * linear(color[2]);
}

// Boxes, indexed by the squares of a grid that they touch.
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

  // Calls `visit` until it returns false. Returns its last result.
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

// Returns boxes at a distance from the point, the best first: to the right,
// left, above, below, and at the corners.
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

std::string Shown(absl::string_view text, size_t most) {
  // Visible() keeps line ends, tabs and two noncharacters of Unicode, which XML
  // does not allow.
  const std::string visible =
      absl::StrReplaceAll(Visible(text), {{"\n", "\\n"},
                                          {"\t", "\\t"},
                                          {"\xef\xbf\xbe", "\\ufffe"},
                                          {"\xef\xbf\xbf", "\\uffff"}});
  if (DisplayWidth(visible) <= most) {
    if (visible.size() <= 16 * most) return visible;
  }
  // Combining marks have no width, so the number of bytes is limited too.
  size_t end = 0;
  size_t columns = 0;
  while (end < visible.size() && end < 16 * most) {
    const absl::string_view rest = absl::string_view(visible).substr(end);
    const size_t bytes = FirstBytes(rest);
    columns += DisplayWidth(rest.substr(0, bytes));
    if (columns + 1 > most) break;
    end += bytes;
  }
  return visible.substr(0, end) + "\xe2\x80\xa6";
}

double TextWidth(absl::string_view text, double size, bool bold) {
  double width = 0;
  while (!text.empty()) {
    const size_t bytes = FirstBytes(text);
    width += CharacterWidth(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width * size * (bold ? 1.12 : 1);
}

Svg::Svg(double width, double height, const std::string& background)
    : width_(std::ceil(width)), height_(std::ceil(height)) {
  Rectangle({0, 0, width_, height_}, background);
}

void Svg::Rectangle(const Box& box, const std::string& fill, double opacity) {
  absl::StrAppend(&body_, "<rect x=\"", Number(box.left), "\" y=\"",
                  Number(box.top), "\" width=\"", Number(box.width()),
                  "\" height=\"", Number(box.height()), "\" fill=\"", fill,
                  "\"");
  if (opacity < 1) {
    absl::StrAppend(&body_, " fill-opacity=\"", Number(opacity), "\"");
  }
  body_ += "/>\n";
}

void Svg::Line(Point from, Point to, const std::string& color, double width) {
  absl::StrAppend(&body_, "<line x1=\"", Number(from.x), "\" y1=\"",
                  Number(from.y), "\" x2=\"", Number(to.x), "\" y2=\"",
                  Number(to.y), "\" stroke=\"", color, "\" stroke-width=\"",
                  Number(width), "\"/>\n");
}

void Svg::Polyline(const std::vector<Point>& points, const std::string& color,
                   double width) {
  std::string list;
  for (const Point& point : points) {
    absl::StrAppend(&list, list.empty() ? "" : " ", Number(point.x), ",",
                    Number(point.y));
  }
  absl::StrAppend(&body_, "<polyline points=\"", list,
                  "\" fill=\"none\" stroke=\"", color, "\" stroke-width=\"",
                  Number(width),
                  "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n");
}

void Svg::Circle(Point center, double radius, const std::string& fill,
                 absl::string_view title) {
  absl::StrAppend(&body_, "<circle cx=\"", Number(center.x), "\" cy=\"",
                  Number(center.y), "\" r=\"", Number(radius), "\" fill=\"",
                  fill, "\"");
  if (title.empty()) {
    body_ += "/>\n";
  } else {
    absl::StrAppend(&body_, "><title>", Escaped(title), "</title></circle>\n");
  }
}

// Lines of length zero with round ends need a fifth of the bytes of circles.
// The colors of overlapping elements add up.
void Svg::Dots(const std::vector<Point>& centers, double radius,
               const std::string& fill, double opacity) {
  constexpr size_t kDotsOfElement = 500;
  for (size_t begin = 0; begin < centers.size(); begin += kDotsOfElement) {
    std::string path;
    const size_t end = std::min(begin + kDotsOfElement, centers.size());
    for (size_t i = begin; i < end; ++i) {
      absl::StrAppend(&path, "M", Number(centers[i].x), " ",
                      Number(centers[i].y), "h0");
    }
    absl::StrAppend(&body_, "<path d=\"", path, "\" stroke=\"", fill,
                    "\" stroke-opacity=\"", Number(opacity),
                    "\" stroke-width=\"", Number(2 * radius),
                    "\" stroke-linecap=\"round\"/>\n");
  }
}

void Svg::Text(Point at, absl::string_view shown, const TextStyle& style) {
  absl::StrAppend(&body_, "<text x=\"", Number(at.x), "\" y=\"", Number(at.y),
                  "\" font-size=\"", Number(style.size), "\" fill=\"",
                  style.color, "\"");
  if (style.anchor != Anchor::kStart) {
    absl::StrAppend(&body_, " text-anchor=\"", NameOf(style.anchor), "\"");
  }
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (!style.halo.empty()) {
    absl::StrAppend(&body_, " stroke=\"", style.halo,
                    "\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                    "paint-order=\"stroke\"");
  }
  if (style.turn != 0) {
    absl::StrAppend(&body_, " transform=\"rotate(", Number(style.turn), " ",
                    Number(at.x), " ", Number(at.y), ")\"");
  }
  absl::StrAppend(&body_, ">", Escaped(shown), "</text>\n");
}

std::string Svg::Document() const {
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
                      Number(width_), "\" height=\"", Number(height_),
                      "\" viewBox=\"0 0 ", Number(width_), " ", Number(height_),
                      "\" font-family=\"sans-serif\">\n", body_, "</svg>\n");
}

const Theme& LightTheme() {
  static const Theme& theme =
      *new Theme{.ground = "#ffffff",
                 .text = "#1f2328",
                 .muted = "#59636e",
                 .grid = "#e6e8eb",
                 .axis = "#8c959f",
                 .series = {"#0072b2", "#d55e00", "#00805b", "#b04d86",
                            "#a06a00", "#3b7ea6"}};
  return theme;
}

const Theme& DarkTheme() {
  static const Theme& theme =
      *new Theme{.ground = "#15191f",
                 .text = "#e8eaed",
                 .muted = "#a3abb5",
                 .grid = "#2a3038",
                 .axis = "#5d6672",
                 .series = {"#56b4e9", "#e69f00", "#00b386", "#cc79a7",
                            "#f0e442", "#e8743b"}};
  return theme;
}

const std::vector<std::string>& CategoryColors() {
  static const auto& colors = *new std::vector<std::string>{
      "#3873be", "#c88001", "#17a550", "#b22e82", "#0f9abb",
      "#eb5642", "#8779f6", "#706615", "#449d82", "#95534f"};
  return colors;
}

std::string ScaleColor(double value) {
  const Rgb color = OnScale(value);
  return absl::StrFormat("#%02x%02x%02x", std::lround(color[0]),
                         std::lround(color[1]), std::lround(color[2]));
}

std::string TextOnScale(double value) {
  // Contrast with white is 1.05 / (L + .05), with black (L + .05) / .05.
  const double luminance = Luminance(OnScale(value)) + 0.05;
  return luminance * luminance > 1.05 * 0.05 ? "#000000" : "#ffffff";
}

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
