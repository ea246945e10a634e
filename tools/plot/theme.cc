#include "plot/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "absl/strings/str_format.h"

namespace firth::tools {
namespace {

using Rgb = std::array<double, 3>;  // 0 to 255

// Eleven colors of the scale, evenly spaced.
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

// Relative luminance of sRGB (WCAG 2.1).
double Luminance(const Rgb& color) {
  const auto linear = [](double part) {
    const double value = part / 255;
    return value <= 0.04045 ? value / 12.92
                            : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) +
         0.0722 * linear(color[2]);
}

}  // namespace

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

}  // namespace firth::tools
