// Colors that people who see colors differently can tell apart, on light and on
// dark ground.

#ifndef FIRTH_TOOLS_PLOT_THEME_H_
#define FIRTH_TOOLS_PLOT_THEME_H_

#include <cstddef>
#include <string>
#include <vector>

namespace firth::tools {

struct Theme {
  std::string ground;
  std::string text;   // a contrast of 7:1 and more with the ground
  std::string muted;  // of ticks and notes, 4.5:1 and more
  std::string grid;   // lines that stay behind
  std::string axis;   // lines that do not
  // Of series, 3:1 and more with the ground: from Okabe and Ito (2008), without
  // those that are too near the ground.
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

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_PLOT_THEME_H_
