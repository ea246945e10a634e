// How trainings went or go: loss, learning rate and speed over the words that
// they have seen.

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "plot/chart.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

constexpr double kPanelWidth = 760;
constexpr double kPanelGap = 40;  // between panels, for their titles

struct Panel {
  const char* name;
  double LoggedMoment::*value;
  double height;
  bool from_zero;  // the scale holds 0
};
constexpr Panel kPanels[] = {
    {"Loss (nats per example)", &LoggedMoment::loss, 280, false},
    {"Learning rate", &LoggedMoment::learning_rate, 110, true},
    {"Words per second", &LoggedMoment::words_per_second, 110, true}};

double MostWords(const std::vector<LoggedTraining>& trainings) {
  double most = 1;
  for (const LoggedTraining& training : trainings) {
    most = std::max(most, training.total);
    for (const LoggedMoment& moment : training.moments) {
      most = std::max(most, moment.words);
    }
  }
  return most;
}

// The scale of what all trainings have in a panel.
Scale PanelScale(const std::vector<LoggedTraining>& trainings,
                 const Panel& panel) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const LoggedTraining& training : trainings) {
    for (const LoggedMoment& moment : training.moments) {
      const double value = moment.*panel.value;
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) low = high = 0;
  if (panel.from_zero) low = std::min(low, 0.0);
  return Scale(low, high, panel.height > 200 ? 6 : 3, /*whole=*/true);
}

void DrawLine(const LoggedTraining& training, const Panel& panel,
              const Scale& words, const Scale& values, const Box& box,
              const std::string& color, Svg* svg) {
  std::vector<Point> points;
  for (const LoggedMoment& moment : training.moments) {
    const double value = moment.*panel.value;
    if (!std::isfinite(value)) continue;
    points.push_back({words.Place(moment.words, box.left, box.right),
                      values.Place(value, box.bottom, box.top)});
  }
  if (points.empty()) return;
  if (points.size() > 1) svg->Polyline(points, color, 1.8);
  // Where a training is now.
  if (!training.done || points.size() == 1) {
    svg->Circle(points.back(), 3.5, color);
  }
}

std::vector<LegendEntry> Legend(const std::vector<LoggedTraining>& trainings,
                                const Theme& theme) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < trainings.size(); ++i) {
    const LoggedTraining& training = trainings[i];
    std::string name = Shown(training.name, 48);
    if (!training.done && !training.moments.empty() && training.total > 0) {
      absl::StrAppendFormat(
          &name, ": %.0f%%",
          100 * training.moments.back().words / training.total);
    }
    entries.push_back({std::move(name), theme.Series(i)});
  }
  return entries;
}

double WidestTick(const std::vector<Scale>& scales) {
  std::vector<std::string> names;
  for (const Scale& scale : scales) {
    for (const double tick : scale.ticks()) names.push_back(scale.Name(tick));
  }
  return WidestText(names, kTickSize);
}

}  // namespace

Svg DrawTrainings(const std::vector<LoggedTraining>& trainings,
                  const Headline& headline, const Theme& theme) {
  std::vector<Scale> scales;
  double panels = 0;
  for (const Panel& panel : kPanels) {
    scales.push_back(PanelScale(trainings, panel));
    panels += kPanelGap + panel.height;
  }
  const double left = kMargin + WidestTick(scales) + 12;
  const std::vector<LegendEntry> legend = Legend(trainings, theme);
  const double title =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 4;
  const double legend_height =
      LegendHeight(legend, left + kPanelWidth - kMargin);
  Svg svg(left + kPanelWidth + kMargin + 16,
          title + legend_height + panels + 46 + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  DrawLegend(legend,
             {kMargin, title, left + kPanelWidth, title + legend_height}, theme,
             &svg);
  const Scale words(0, MostWords(trainings), 8);
  double bottom = title + legend_height;
  Box box;
  for (size_t i = 0; i < scales.size(); ++i) {
    const Panel& panel = kPanels[i];
    box = {left, bottom + kPanelGap, left + kPanelWidth,
           bottom + kPanelGap + panel.height};
    bottom = box.bottom;
    svg.Text({kMargin, box.top - 13}, panel.name,
             {.size = kLabelSize, .color = theme.text, .bold = true});
    DrawVerticalScale(scales[i], box, theme, &svg);
    for (size_t k = 0; k < trainings.size(); ++k) {
      DrawLine(trainings[k], panel, words, scales[i], box, theme.Series(k),
               &svg);
    }
  }
  // The grid of words is that of the last panel, with the numbers below.
  for (const double tick : words.ticks()) {
    const double x = words.Place(tick, box.left, box.right);
    svg.Line({x, box.bottom}, {x, box.bottom + 5}, theme.axis);
    svg.Text(
        {x, box.bottom + kTickSize + 9}, words.Name(tick),
        {.size = kTickSize, .color = theme.muted, .anchor = Anchor::kMiddle});
  }
  svg.Text({box.right, box.bottom + 42}, "trained words",
           {.size = kLabelSize, .color = theme.muted, .anchor = Anchor::kEnd});
  return svg;
}

}  // namespace firth::tools
