// The heights of titles, legends and scales are computed first, and the chart
// fills the rest. Ticks are 1, 2 or 5 times a power of ten apart.

#include "plot/chart.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "cli/human.h"

namespace firth::tools {
namespace {

constexpr double kSubtitleSize = 12;
constexpr double kLegendLine = 20;
constexpr double kSwatch = 10;
constexpr double kLegendGap = 22;

// Returns 1, 2 or 5 times a power of ten, so that the range contains about
// `ticks` multiples of it.
double RoundStep(double range, size_t ticks) {
  const double rough = range / static_cast<double>(ticks);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.8) return factor * power;
  }
  return 10 * power;
}

struct Unit {
  double size;
  const char* name;
};

Unit UnitOf(double largest) {
  for (const Unit& unit :
       {Unit{1e12, " T"}, Unit{1e9, " G"}, Unit{1e6, " M"}, Unit{1e4, " k"}}) {
    if (largest >= unit.size) {
      return unit.size == 1e4 ? Unit{1e3, " k"} : unit;
    }
  }
  return {1, ""};
}

double EntryWidth(const LegendEntry& entry) {
  return kSwatch + 6 + TextWidth(entry.name, kLabelSize) + kLegendGap;
}

// Calls draw(entry, x, line) for each entry. Returns the number of lines.
template <class Draw>
size_t PlaceEntries(const std::vector<LegendEntry>& entries, double width,
                    const Draw& draw) {
  double x = 0;
  size_t line = 0;
  for (const LegendEntry& entry : entries) {
    const double entry_width = EntryWidth(entry);
    if (x > 0 && x + entry_width - kLegendGap > width) {
      x = 0;
      ++line;
    }
    draw(entry, x, static_cast<double>(line));
    x += entry_width;
  }
  return entries.empty() ? 0 : line + 1;
}

}  // namespace

Scale::Scale(double low, double high, size_t ticks, bool whole)
    : low_(low), high_(high) {
  // A range of a single value is widened.
  if (!(high_ - low_ > 1e-9 * std::max(std::abs(low_), std::abs(high_)))) {
    const double room = low_ == 0 ? 1 : std::abs(low_) / 2;
    low_ -= room;
    high_ += room;
  }
  step_ = RoundStep(high_ - low_, ticks);
  if (whole) {
    low_ = std::floor(low_ / step_ + 1e-9) * step_;
    high_ = std::ceil(high_ / step_ - 1e-9) * step_;
  }
  const double first = std::ceil(low_ / step_ - 1e-9);
  const double last = std::floor(high_ / step_ + 1e-9);
  for (double tick = first; tick <= last; ++tick) {
    ticks_.push_back(tick * step_);
  }
}

std::string Scale::Name(double tick) const {
  const Unit unit = UnitOf(std::max(std::abs(low_), std::abs(high_)));
  const double step = step_ / unit.size;
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  const double value = tick / unit.size;
  // Avoids "-0".
  return absl::StrFormat("%.*f", decimals,
                         std::abs(value) < step / 2 ? 0 : value) +
         (tick == 0 ? "" : unit.name);
}

double TitleHeight(const std::string& title, const std::string& subtitle) {
  return (title.empty() ? 0 : kTitleSize + 9) +
         (subtitle.empty() ? 0 : kSubtitleSize + 8);
}

void DrawTitle(const std::string& title, const std::string& subtitle,
               const Theme& theme, Svg* svg) {
  const double width = svg->width() - 2 * kMargin;
  double y = kMargin;
  if (!title.empty()) {
    y += kTitleSize;
    svg->Text({kMargin, y - 3}, Fitted(title, width, kTitleSize, true),
              {.size = kTitleSize, .color = theme.text, .bold = true});
    y += 9;
  }
  if (subtitle.empty()) return;
  svg->Text({kMargin, y + kSubtitleSize - 3},
            Fitted(subtitle, width, kSubtitleSize),
            {.size = kSubtitleSize, .color = theme.muted});
}

double WidestText(const std::vector<std::string>& texts, double size) {
  double widest = 0;
  for (const std::string& text : texts) {
    widest = std::max(widest, TextWidth(text, size));
  }
  return widest;
}

std::string Fitted(const std::string& text, double width, double size,
                   bool bold) {
  std::string shown = Shown(text, 1000);
  for (size_t most = DisplayWidth(shown);
       most > 1 && TextWidth(shown, size, bold) > width; --most) {
    shown = Shown(text, most - 1);
  }
  return shown;
}

double LegendHeight(const std::vector<LegendEntry>& entries, double width) {
  return kLegendLine *
         static_cast<double>(PlaceEntries(
             entries, width, [](const LegendEntry&, double, double) {}));
}

void DrawLegend(const std::vector<LegendEntry>& entries, const Box& box,
                const Theme& theme, Svg* svg) {
  PlaceEntries(entries, box.width(),
               [&](const LegendEntry& entry, double x, double line) {
                 const double left = box.left + x;
                 const double base = box.top + line * kLegendLine + 12;
                 svg->Rectangle({left, base - kSwatch, left + kSwatch, base},
                                entry.color);
                 svg->Text(
                     {left + kSwatch + 6, base - 1},
                     Fitted(entry.name, box.width() - kSwatch - 6, kLabelSize),
                     {.size = kLabelSize, .color = theme.text});
               });
}

void DrawVerticalScale(const Scale& scale, const Box& box, const Theme& theme,
                       Svg* svg) {
  for (const double tick : scale.ticks()) {
    const double y = scale.Place(tick, box.bottom, box.top);
    svg->Line({box.left, y}, {box.right, y}, theme.grid);
    svg->Text(
        {box.left - 8, y + kTickSize * 0.36}, scale.Name(tick),
        {.size = kTickSize, .color = theme.muted, .anchor = Anchor::kEnd});
  }
}

void DrawHorizontalScale(const Scale& scale, const Box& box, const Theme& theme,
                         Svg* svg) {
  for (const double tick : scale.ticks()) {
    const double x = scale.Place(tick, box.left, box.right);
    svg->Line({x, box.top}, {x, box.bottom}, theme.grid);
    svg->Text(
        {x, box.bottom + kTickSize + 6}, scale.Name(tick),
        {.size = kTickSize, .color = theme.muted, .anchor = Anchor::kMiddle});
  }
}

}  // namespace firth::tools
