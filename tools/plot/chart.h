// Common parts of charts: a title, scales with round numbers, a grid.

#ifndef FIRTH_TOOLS_PLOT_CHART_H_
#define FIRTH_TOOLS_PLOT_CHART_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plot/svg.h"

namespace firth::tools {

constexpr double kMargin = 24;    // Margin of a picture.
constexpr double kTickSize = 11;  // Font sizes.
constexpr double kLabelSize = 12;
constexpr double kTitleSize = 17;

// A range of values and the round numbers within it.
class Scale {
 public:
  // Contains the finite range `low` to `high`, extended to round numbers if
  // `whole`. `ticks` is the approximate number of ticks.
  Scale(double low, double high, size_t ticks, bool whole = false);

  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<double>& ticks() const { return ticks_; }
  // Returns the position of a value: `from` for low(), `to` for high().
  double Place(double value, double from, double to) const {
    return from + (value - low_) / (high_ - low_) * (to - from);
  }
  // Returns a tick with the necessary decimals, such as "0.25" or "1.5 M".
  std::string Name(double tick) const;

 private:
  double low_;
  double high_;
  double step_;
  std::vector<double> ticks_;
};

// Returns the height of DrawTitle(), or 0 if both texts are empty.
double TitleHeight(const std::string& title, const std::string& subtitle);
// Draws title and subtitle at the upper left, shortened to fit.
void DrawTitle(const std::string& title, const std::string& subtitle,
               const Theme& theme, Svg* svg);

// Returns the width of the widest text.
double WidestText(const std::vector<std::string>& texts, double size);

// Returns the longest beginning of `text` that fits into `width`, with "..." if
// it was shortened.
std::string Fitted(const std::string& text, double width, double size,
                   bool bold = false);

// A name with the color of its series.
struct LegendEntry {
  std::string name;
  std::string color;
};
double LegendHeight(const std::vector<LegendEntry>& entries, double width);
void DrawLegend(const std::vector<LegendEntry>& entries, const Box& box,
                const Theme& theme, Svg* svg);

// Draw grid lines with numbers: to the left of the box, and below it.
void DrawVerticalScale(const Scale& scale, const Box& box, const Theme& theme,
                       Svg* svg);
void DrawHorizontalScale(const Scale& scale, const Box& box, const Theme& theme,
                         Svg* svg);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_CHART_H_
