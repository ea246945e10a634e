// A picture of shapes and text, written as SVG.
//
// Text stays text, so that it can be searched and copied, in whatever font the
// viewer has: widths are estimated from above, so that nothing runs into
// something else. Words are other people's bytes: what XML cannot hold or what
// would turn the direction of writing is shown escaped. In addition, colors for
// pictures, and places for the names of points.

#ifndef FIRTH_TOOLS_PLOT_SVG_H_
#define FIRTH_TOOLS_PLOT_SVG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth::tools {

struct Point {
  double x = 0;
  double y = 0;
};

// A rectangle; y grows downward. All lengths are in pixels of the picture.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool Overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom &&
           other.top < bottom;
  }
  bool Holds(const Box& other) const {
    return left <= other.left && other.right <= right && top <= other.top &&
           other.bottom <= bottom;
  }
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12;  // of the font
  std::string color;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  std::string halo = {};  // a color around the letters; empty: none
  double turn = 0;        // degrees clockwise around the point
};

// The text as a picture can show it: without what XML cannot hold, and at most
// `most` columns wide, with "..." for what was cut off.
std::string Shown(absl::string_view text, size_t most = 40);

// The width that `text` has at most, in any common sans-serif font.
double TextWidth(absl::string_view text, double size, bool bold = false);

class Svg {
 public:
  Svg(double width, double height, const std::string& background);

  double width() const { return width_; }
  double height() const { return height_; }

  // opacity: 0 to 1.
  void Rectangle(const Box& box, const std::string& fill, double opacity = 1);
  void Line(Point from, Point to, const std::string& color, double width = 1);
  void Polyline(const std::vector<Point>& points, const std::string& color,
                double width);
  // title: what a viewer shows when the mouse is over it.
  void Circle(Point center, double radius, const std::string& fill,
              absl::string_view title = "");
  // Dots of one color without titles, thousands of them.
  void Dots(const std::vector<Point>& centers, double radius,
            const std::string& fill, double opacity);
  // The text stands on the line at `at`. It is one that Shown() made.
  void Text(Point at, absl::string_view shown, const TextStyle& style);

  // The whole document.
  std::string Document() const;

 private:
  double width_;
  double height_;
  std::string body_;
};

// Colors that people who see colors differently can tell apart, on light and on
// dark ground.
struct Theme {
  std::string ground;
  std::string text;   // a contrast of 7:1 and more with the ground
  std::string muted;  // of ticks and notes, 4.5:1 and more
  std::string grid;   // lines that stay behind
  std::string axis;   // lines that do not
  // Colors of series, 3:1 and more with the ground: from Okabe and Ito (2008),
  // without those that are too near the ground.
  std::vector<std::string> series;

  const std::string& Series(size_t number) const {
    return series[number % series.size()];
  }
};

const Theme& LightTheme();
const Theme& DarkTheme();

// A color of the scale viridis (van der Walt and Smith 2015), whose lightness
// grows evenly: 0 is dark violet, 1 yellow.
std::string ScaleColor(double value);
// Black or white, whichever is read better on it.
std::string TextOnScale(double value);

// A name of a point, for which PlaceLabels() finds a place.
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

  // Returns the point where its text begins.
  Point TextStart(double size) const {
    return {box.left + 1, box.bottom - size * 0.28};
  }
};

// Gives places within `area` to as many labels as there is room for, the first
// ones first, near their points or, with `far`, where those are taken, farther
// off. No label covers another one or a point of `dots`, with `radius` around.
std::vector<PlacedLabel> PlaceLabels(const std::vector<Label>& labels,
                                     const std::vector<Point>& dots,
                                     double radius, const Box& area, bool far);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_SVG_H_
