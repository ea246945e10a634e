// Draws curves of training runs: losses, learning rate and speed over the
// number of words. Draws norms of gradients by distance. Draws results of
// models on test sets: a dot per result on a line for its 95% interval, with
// models below one another.

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "plot/chart.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

constexpr double kPanelWidth = 760;
constexpr double kPanelGap = 40;  // Room for the titles of panels.

struct Panel {
  const char* name;
  double LoggedMoment::*value;
  double height;
  bool from_zero;  // Whether the scale contains 0.
};
constexpr Panel kTrainingPanels[] = {
    {"Loss (nats per example)", &LoggedMoment::loss, 280, false},
    {"Loss on held-out text (nats per token)", &LoggedMoment::valid_loss, 280,
     false},
    {"Learning rate", &LoggedMoment::learning_rate, 110, true},
    {"Words per second", &LoggedMoment::words_per_second, 110, true}};

// Returns the panels with values, or the first one if there are no values.
std::vector<Panel> PanelsOf(const std::vector<LoggedTraining>& trainings) {
  std::vector<Panel> panels;
  for (const Panel& panel : kTrainingPanels) {
    const auto has_value = [&](const LoggedMoment& moment) {
      return std::isfinite(moment.*panel.value);
    };
    if (absl::c_any_of(trainings, [&](const LoggedTraining& training) {
          return absl::c_any_of(training.moments, has_value);
        })) {
      panels.push_back(panel);
    }
  }
  if (panels.empty()) panels.push_back(kTrainingPanels[0]);
  return panels;
}

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

// Returns the scale for the values of all training runs in a panel.
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
  // Marks the current position of a training run, or a single point.
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

constexpr double kPlot = 460;
constexpr double kModelLine = 16;  // Height of a model within a test.
constexpr double kRowGap = 12;
constexpr double kGroupHead = 38;
constexpr double kGroupFoot = 34;

double RowHeight(size_t models) {
  return kModelLine * static_cast<double>(models) + kRowGap;
}

double GroupHeight(const MeasuredGroup& group, size_t models) {
  return kGroupHead + kGroupFoot +
         RowHeight(models) * static_cast<double>(group.tests.size());
}

Scale GroupScale(const MeasuredGroup& group) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const MeasuredTest& test : group.tests) {
    for (const Measured& model : test.models) {
      if (!std::isfinite(model.value)) continue;
      low = std::min(low, model.low);
      high = std::max(high, model.high);
    }
  }
  if (low > high) return Scale(0, 1, 5);
  return Scale(low, high, 6, /*whole=*/true);
}

std::string ValueText(double value, bool percent) {
  return percent ? absl::StrFormat("%.1f%%", 100 * value)
                 : absl::StrFormat("%.3f", value);
}

void DrawMeasured(const Measured& model, const Scale& scale, const Box& row,
                  double y, const std::string& color, bool percent,
                  const Theme& theme, Svg* svg) {
  if (!std::isfinite(model.value)) {
    svg->Text({row.right + 10, y + 4}, "not covered",
              {.size = kTickSize, .color = theme.muted});
    return;
  }
  const auto place = [&](double value) {
    return scale.Place(value, row.left, row.right);
  };
  svg->Line({place(model.low), y}, {place(model.high), y}, color, 2);
  for (const double end : {model.low, model.high}) {
    svg->Line({place(end), y - 3.5}, {place(end), y + 3.5}, color, 2);
  }
  svg->Circle({place(model.value), y}, 4.5, color);
  svg->Text({row.right + 10, y + 4}, ValueText(model.value, percent),
            {.size = kTickSize, .color = theme.muted});
}

void DrawScale(const Scale& scale, const Box& box, bool percent,
               const Theme& theme, Svg* svg) {
  for (const double tick : scale.ticks()) {
    const double x = scale.Place(tick, box.left, box.right);
    svg->Line({x, box.top}, {x, box.bottom}, theme.grid);
    svg->Text(
        {x, box.bottom + kTickSize + 6},
        percent
            ? absl::StrFormat("%.4g%%", std::abs(tick) < 1e-9 ? 0 : 100 * tick)
            : scale.Name(tick),
        {.size = kTickSize, .color = theme.muted, .anchor = Anchor::kMiddle});
  }
}

void DrawGroup(const MeasuredGroup& group, size_t models, double top,
               double left, const Theme& theme, Svg* svg) {
  const double height =
      RowHeight(models) * static_cast<double>(group.tests.size());
  const Box box = {left, top + kGroupHead, left + kPlot,
                   top + kGroupHead + height};
  const Scale scale = GroupScale(group);
  svg->Text({kMargin, top + 24},
            Fitted(group.name, svg->width() - 2 * kMargin, 13, true),
            {.size = 13, .color = theme.text, .bold = true});
  DrawScale(scale, box, group.percent, theme, svg);
  for (size_t i = 0; i < group.tests.size(); ++i) {
    const MeasuredTest& test = group.tests[i];
    const double row = box.top + RowHeight(models) * static_cast<double>(i);
    svg->Text(
        {left - 12, row + RowHeight(models) / 2 + 4}, Shown(test.name, 36),
        {.size = kLabelSize, .color = theme.text, .anchor = Anchor::kEnd});
    for (size_t k = 0; k < test.models.size(); ++k) {
      const double y =
          row + kRowGap / 2 + kModelLine * (static_cast<double>(k) + 0.5);
      DrawMeasured(test.models[k], scale, box, y, theme.Series(k),
                   group.percent, theme, svg);
    }
  }
}

// Draws the panels below one another. `below` names what words are.
Svg DrawPanels(const std::vector<LoggedTraining>& trainings,
               const std::vector<Panel>& panels, const std::string& below,
               const Headline& headline, const Theme& theme) {
  std::vector<Scale> scales;
  double height = 0;
  for (const Panel& panel : panels) {
    scales.push_back(PanelScale(trainings, panel));
    height += kPanelGap + panel.height;
  }
  const double left = kMargin + WidestTick(scales) + 12;
  const std::vector<LegendEntry> legend = Legend(trainings, theme);
  const double title =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 4;
  const double legend_height =
      LegendHeight(legend, left + kPanelWidth - kMargin);
  Svg svg(left + kPanelWidth + kMargin + 16,
          title + legend_height + height + 46 + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  DrawLegend(legend,
             {kMargin, title, left + kPanelWidth, title + legend_height}, theme,
             &svg);
  const Scale words(0, MostWords(trainings), 8);
  double bottom = title + legend_height;
  Box box;
  for (size_t i = 0; i < scales.size(); ++i) {
    const Panel& panel = panels[i];
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
  // The last panel has the numbers of words below it.
  for (const double tick : words.ticks()) {
    const double x = words.Place(tick, box.left, box.right);
    svg.Line({x, box.bottom}, {x, box.bottom + 5}, theme.axis);
    svg.Text(
        {x, box.bottom + kTickSize + 9}, words.Name(tick),
        {.size = kTickSize, .color = theme.muted, .anchor = Anchor::kMiddle});
  }
  svg.Text({box.right, box.bottom + 42}, below,
           {.size = kLabelSize, .color = theme.muted, .anchor = Anchor::kEnd});
  return svg;
}

}  // namespace

Svg DrawTrainings(const std::vector<LoggedTraining>& trainings,
                  const Headline& headline, const Theme& theme) {
  return DrawPanels(trainings, PanelsOf(trainings), "trained words", headline,
                    theme);
}

Svg DrawGradients(const std::vector<GradientCurve>& curves,
                  const Headline& headline, const Theme& theme) {
  std::vector<LoggedTraining> lines;
  for (const GradientCurve& curve : curves) {
    LoggedTraining& line = lines.emplace_back();
    line = {.name = curve.name, .done = true};
    for (size_t i = 0; i < curve.norms.size(); ++i) {
      // 0 has no logarithm and is not drawn.
      const double norm = curve.norms[i];
      line.moments.push_back(
          {.words = static_cast<double>(curve.first_distance + i),
           .loss = norm > 0 ? std::log10(norm)
                            : std::numeric_limits<double>::quiet_NaN()});
    }
  }
  return DrawPanels(lines,
                    {{"Norm of the gradient, as a power of ten",
                      &LoggedMoment::loss, 380, false}},
                    "distance in tokens", headline, theme);
}

Svg DrawEvaluations(const std::vector<std::string>& models,
                    const std::vector<MeasuredGroup>& groups,
                    const Headline& headline, const Theme& theme) {
  std::vector<std::string> names;
  std::vector<LegendEntry> legend;
  double height = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    legend.push_back({Shown(models[i], 60), theme.Series(i)});
  }
  for (const MeasuredGroup& group : groups) {
    height += GroupHeight(group, models.size());
    for (const MeasuredTest& test : group.tests) {
      names.push_back(Shown(test.name, 36));
    }
  }
  const double left = kMargin + WidestText(names, kLabelSize) + 16;
  const double width = left + kPlot + 70;
  const double legend_height = LegendHeight(legend, width - 2 * kMargin);
  const double title =
      kMargin + TitleHeight(headline.title, headline.subtitle) + 4;
  Svg svg(width + kMargin, title + legend_height + height + kMargin / 2,
          theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  DrawLegend(legend, {kMargin, title, width - kMargin, title + legend_height},
             theme, &svg);
  double top = title + legend_height;
  for (const MeasuredGroup& group : groups) {
    DrawGroup(group, models.size(), top, left, theme, &svg);
    top += GroupHeight(group, models.size());
  }
  return svg;
}

}  // namespace firth::tools
