// A picture of shapes and text, written as SVG.
//
// Text remains text, so that it can be searched and copied, in the font of the
// viewer. Estimated widths are upper bounds, so that texts do not overlap.
// Words come from other people, so characters that XML does not allow or that
// change the direction of writing are escaped. The file also has colors, and
// positions for the names of points.

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
  double size = 12;  // Font size.
  std::string color;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  std::string halo = {};  // Color around the letters; empty for none.
  double turn = 0;        // Degrees clockwise around the point.
};

// Returns the text for a picture: escaped for XML, and at most `most` columns
// wide, with "..." if it was shortened.
std::string Shown(absl::string_view text, size_t most = 40);

// Returns an upper bound of the width of `text` in a sans-serif font.
double TextWidth(absl::string_view text, double size, bool bold = false);

class Svg {
 public:
  Svg(double width, double height, const std::string& background);

  double width() const { return width_; }
  double height() const { return height_; }

  // `opacity` is between 0 and 1.
  void Rectangle(const Box& box, const std::string& fill, double opacity = 1);
  void Line(Point from, Point to, const std::string& color, double width = 1);
  void Polyline(const std::vector<Point>& points, const std::string& color,
                double width);
  // A viewer shows `title` when the mouse is over the circle.
  void Circle(Point center, double radius, const std::string& fill,
              absl::string_view title = "");
  // Draws thousands of dots in one color, without titles.
  void Dots(const std::vector<Point>& centers, double radius,
            const std::string& fill, double opacity);
  // Draws a text that Shown() returned, with its baseline at `at`.
  void Text(Point at, absl::string_view shown, const TextStyle& style);

  std::string Document() const;

 private:
  double width_;
  double height_;
  std::string body_;
};

// Colors for light and dark backgrounds that people with color blindness can
// distinguish.
struct Theme {
  std::string ground;
  std::string text;   // Contrast with the background at least 7:1.
  std::string muted;  // Ticks and notes, at least 4.5:1.
  std::string grid;
  std::string axis;
  // Colors of series, at least 3:1: those of Okabe and Ito (2008) except the
  // ones that are too similar to the background.
  std::vector<std::string> series;

  const std::string& Series(size_t number) const {
    return series[number % series.size()];
  }
};

const Theme& LightTheme();
const Theme& DarkTheme();

// Colors of categories on both backgrounds, which the explorer's page uses,
// too: they differ in lightness as well as in hue.
const std::vector<std::string>& CategoryColors();
// Color of the other categories.
constexpr char kOtherCategories[] = "#80868b";

// Returns a color of the scale viridis (van der Walt and Smith 2015), whose
// lightness grows evenly from dark violet at 0 to yellow at 1.
std::string ScaleColor(double value);
// Returns black or white, whichever is more readable on the color.
std::string TextOnScale(double value);

// The name of a point, which PlaceLabels() positions.
struct Label {
  std::string text;  // Result of Shown().
  Point point;       // The named point.
  double size = 12;
  bool bold = false;
  double distance = 5;  // From the point; 0 centers the label on it.
};

struct PlacedLabel {
  size_t label;  // Position in the list.
  Box box;
  // Whether it is far from its point, so that a line must connect them.
  bool led = false;

  // Returns the point where its text begins.
  Point TextStart(double size) const {
    return {box.left + 1, box.bottom - size * 0.28};
  }
};

// Finds positions within `area` for as many labels as fit, in order. They are
// near their points, or with `far` also farther away. No label covers another
// one or a dot of `dots` with this `radius`.
std::vector<PlacedLabel> PlaceLabels(const std::vector<Label>& labels,
                                     const std::vector<Point>& dots,
                                     double radius, const Box& area, bool far);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_SVG_H_
