// Common parts of charts: a title, scales with round numbers, a grid.

#ifndef FIRTH_TOOLS_PLOT_CHART_H_
#define FIRTH_TOOLS_PLOT_CHART_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plot/svg.h"

namespace firth::tools {

constexpr double kMargin = 24;    // of a picture
constexpr double kTickSize = 11;  // of fonts
constexpr double kLabelSize = 12;
constexpr double kTitleSize = 17;

// A range of values and the round numbers in it.
class Scale {
 public:
  // Holds `low` to `high`, which are finite, and begins and ends at a round
  // number if `whole`. ticks: about how many there are.
  Scale(double low, double high, size_t ticks, bool whole = false);

  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<double>& ticks() const { return ticks_; }
  // Returns the place of a value between `from`, that of low(), and `to`.
  double Place(double value, double from, double to) const {
    return from + (value - low_) / (high_ - low_) * (to - from);
  }
  // A tick with the decimals that tell it from the next: "0.25", "1.5 M".
  std::string Name(double tick) const;

 private:
  double low_;
  double high_;
  double step_;
  std::vector<double> ticks_;
};

// The height that DrawTitle() takes; 0 where there is neither.
double TitleHeight(const std::string& title, const std::string& subtitle);
// Title and subtitle at the upper left, no wider than the picture.
void DrawTitle(const std::string& title, const std::string& subtitle,
               const Theme& theme, Svg* svg);

// The widest of the texts.
double WidestText(const std::vector<std::string>& texts, double size);

// The longest beginning of `text` that is no wider than `width`; with "..."
// where something is cut off.
std::string Fitted(const std::string& text, double width, double size,
                   bool bold = false);

// A name with the color of its series, for each, in lines no wider than the
// picture. Returns the height that they take.
struct LegendEntry {
  std::string name;
  std::string color;
};
double LegendHeight(const std::vector<LegendEntry>& entries, double width);
void DrawLegend(const std::vector<LegendEntry>& entries, const Box& box,
                const Theme& theme, Svg* svg);

// Grid lines with their numbers, at the left of and below the box.
void DrawVerticalScale(const Scale& scale, const Box& box, const Theme& theme,
                       Svg* svg);
void DrawHorizontalScale(const Scale& scale, const Box& box, const Theme& theme,
                         Svg* svg);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_CHART_H_
