// Draws attention as a heat map: a row for each token that was written, a
// column for each token that was read, as in Bahdanau, Cho and Bengio (2015),
// figure 3.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "plot/chart.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

// Larger tables have no numbers in their cells.
constexpr size_t kMostNumberedTokens = 20;

double TokenSize(size_t tokens) {
  if (tokens <= kMostNumberedTokens) return 34;
  return std::max(13.0, std::min(26.0, 900 / static_cast<double>(tokens)));
}

std::vector<std::string> ShownTokens(const std::vector<std::string>& tokens) {
  std::vector<std::string> shown;
  for (const std::string& token : tokens) shown.push_back(Shown(token, 24));
  return shown;
}

void DrawWeights(const AttentionTable& attention, const Box& box, double cell,
                 Svg* svg) {
  const bool numbered = cell == TokenSize(0);
  for (size_t i = 0; i < attention.target.size(); ++i) {
    for (size_t j = 0; j < attention.source.size(); ++j) {
      const double weight = std::clamp<double>(
          attention.weights[i * attention.source.size() + j], 0, 1);
      const double left = box.left + cell * static_cast<double>(j);
      const double top = box.top + cell * static_cast<double>(i);
      svg->Rectangle({left, top, left + cell - 1, top + cell - 1},
                     ScaleColor(weight));
      if (!numbered || weight < 0.005) continue;
      svg->Text({left + (cell - 1) / 2, top + cell / 2 + 3},
                absl::StrFormat("%.2f", weight),
                {.size = 10,
                 .color = TextOnScale(weight),
                 .anchor = Anchor::kMiddle});
    }
  }
}

}  // namespace

Svg DrawAttention(const AttentionTable& attention, const Headline& headline,
                  const Theme& theme) {
  const std::vector<std::string> source = ShownTokens(attention.source);
  const std::vector<std::string> target = ShownTokens(attention.target);
  const double cell = TokenSize(std::max(source.size(), target.size()));
  const double size = std::min(kLabelSize, cell * 0.85);
  const double top = kMargin + TitleHeight(headline.title, headline.subtitle) +
                     WidestText(source, size) + 14;
  const double left = kMargin + WidestText(target, size) + 14;
  const Box box = {left, top, left + cell * static_cast<double>(source.size()),
                   top + cell * static_cast<double>(target.size())};
  Svg svg(std::max(box.right + kMargin, 320.0), box.bottom + kMargin,
          theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  DrawWeights(attention, box, cell, &svg);
  const auto middle = [&](size_t i) {
    return cell * (static_cast<double>(i) + 0.5) + size * 0.35;
  };
  for (size_t i = 0; i < target.size(); ++i) {
    svg.Text({box.left - 8, box.top + middle(i)}, target[i],
             {.size = size, .color = theme.text, .anchor = Anchor::kEnd});
  }
  for (size_t j = 0; j < source.size(); ++j) {
    svg.Text({box.left + middle(j), box.top - 8}, source[j],
             {.size = size, .color = theme.text, .turn = -90});
  }
  return svg;
}

}  // namespace firth::tools
