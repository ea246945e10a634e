// What models reached on test sets: a dot for each figure on a line that is its
// 95% interval, models below one another.

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "plot/chart.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

constexpr double kPlot = 460;
constexpr double kModelLine = 16;  // of a model in the row of a test
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

}  // namespace

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
