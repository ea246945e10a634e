// Draws the similarities of words as a heat map with the tree that orders them:
// average linkage (UPGMA, Sokal and Michener 1958), where each join is reversed
// so that the most similar ends meet (Gruvaeus and Wainer 1972).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "plot/chart.h"
#include "plot/pictures.h"

namespace firth::tools {
namespace {

// A group that has not been joined yet.
struct OpenGroup {
  size_t number;
  size_t row;                 // Row of the group in means_.
  std::vector<size_t> items;  // Items in display order.
};

class Clustering {
 public:
  Clustering(const std::vector<float>& similarities, size_t n)
      : n_(n),
        similarities_(similarities),
        means_(similarities.begin(), similarities.end()) {
    for (size_t i = 0; i < n; ++i) open_.push_back({i, i, {i}});
  }

  Dendrogram Run() {
    Dendrogram tree;
    while (open_.size() > 1) {
      const auto [a, b] = MostSimilar();
      OpenGroup& left = open_[a];
      OpenGroup& right = open_[b];
      const double mean = Mean(left, right);
      TurnToMeet(&left.items, &right.items);
      tree.joins.push_back({left.number, right.number, mean});
      Merge(&left, right);
      left.number = n_ + tree.joins.size() - 1;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(b));
    }
    tree.order = open_[0].items;
    return tree;
  }

 private:
  double& Mean(const OpenGroup& a, const OpenGroup& b) {
    return means_[a.row * n_ + b.row];
  }

  // Returns positions in open_, the lower one first.
  std::pair<size_t, size_t> MostSimilar() {
    std::pair<size_t, size_t> best = {0, 1};
    double most = -std::numeric_limits<double>::infinity();
    for (size_t a = 0; a < open_.size(); ++a) {
      for (size_t b = a + 1; b < open_.size(); ++b) {
        if (Mean(open_[a], open_[b]) <= most) continue;
        most = Mean(open_[a], open_[b]);
        best = {a, b};
      }
    }
    return best;
  }

  // Reverses either side if more similar ends then meet.
  void TurnToMeet(std::vector<size_t>* left, std::vector<size_t>* right) const {
    const std::array<size_t, 2> left_ends = {left->back(), left->front()};
    const std::array<size_t, 2> right_ends = {right->front(), right->back()};
    std::pair<size_t, size_t> best = {0, 0};
    float most = -std::numeric_limits<float>::infinity();
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        const float similarity =
            similarities_[left_ends[i] * n_ + right_ends[j]];
        if (similarity <= most) continue;
        most = similarity;
        best = {i, j};
      }
    }
    if (best.first == 1) std::reverse(left->begin(), left->end());
    if (best.second == 1) std::reverse(right->begin(), right->end());
  }

  // Updates the means with other groups, weighted by the numbers of items.
  void Merge(OpenGroup* into, const OpenGroup& from) {
    const auto a = static_cast<double>(into->items.size());
    const auto b = static_cast<double>(from.items.size());
    for (const OpenGroup& other : open_) {
      const double mean =
          (a * Mean(*into, other) + b * Mean(from, other)) / (a + b);
      Mean(*into, other) = mean;
      Mean(other, *into) = mean;
    }
    into->items.insert(into->items.end(), from.items.begin(), from.items.end());
  }

  const size_t n_;
  const std::vector<float>& similarities_;  // Items, [n, n].
  std::vector<double> means_;               // Groups, [n, n].
  std::vector<OpenGroup> open_;
};

constexpr double kTree = 110;         // Width of the tree.
constexpr size_t kMostNumbered = 24;  // Maximum words for numbers in the cells.
constexpr double kBar = 14;           // Width of the color scale.

// Returns the range of colors, from all pairs of different words.
Scale ColorScale(const std::vector<float>& similarities, size_t n) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      low = std::min<double>(low, similarities[i * n + j]);
      high = std::max<double>(high, similarities[i * n + j]);
    }
  }
  return Scale(low, high, 5, /*whole=*/true);
}

double Share(const Scale& scale, double value) {
  return std::clamp(scale.Place(value, 0, 1), 0.0, 1.0);
}

// Returns a size large enough for the numbers and names of cells.
double CellSize(size_t n) {
  if (n <= kMostNumbered) return 38;
  return std::max(13.0, std::min(26.0, 900 / static_cast<double>(n)));
}

void DrawCells(const std::vector<size_t>& order,
               const std::vector<float>& similarities, const Scale& scale,
               const Box& box, Svg* svg) {
  const size_t n = order.size();
  const double cell = box.width() / static_cast<double>(n);
  const double gap = n <= kMostNumbered ? 1 : 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const double value = similarities[order[i] * n + order[j]];
      const double left = box.left + cell * static_cast<double>(j);
      const double top = box.top + cell * static_cast<double>(i);
      const double share = Share(scale, value);
      // Cells without a gap overlap, to hide the background between them.
      const double seam = gap == 0 ? -0.4 : gap;
      svg->Rectangle({left, top, std::min(left + cell - seam, box.right),
                      std::min(top + cell - seam, box.bottom)},
                     ScaleColor(share));
      if (n > kMostNumbered) continue;
      svg->Text({left + (cell - gap) / 2, top + cell / 2 + 3},
                absl::StrFormat("%.2f", std::abs(value) < 0.005 ? 0 : value),
                {.size = 10.5,
                 .color = TextOnScale(share),
                 .anchor = Anchor::kMiddle});
    }
  }
}

void DrawRowNames(const std::vector<std::string>& names, const Box& box,
                  const Theme& theme, Svg* svg) {
  const double cell = box.width() / static_cast<double>(names.size());
  const double size = std::min(kLabelSize, cell * 0.85);
  for (size_t i = 0; i < names.size(); ++i) {
    const double middle = cell * (static_cast<double>(i) + 0.5);
    TextStyle style = {.size = size, .color = theme.text};
    style.anchor = Anchor::kEnd;
    svg->Text({box.left - 8, box.top + middle + size * 0.35}, names[i], style);
    style.anchor = Anchor::kStart;
    style.turn = -90;
    svg->Text({box.left + middle + size * 0.35, box.top - 8}, names[i], style);
  }
}

// Draws joins from the words at the right to the left; less similar joins are
// farther to the left.
void DrawTree(const Dendrogram& tree, const Box& rows, double left,
              double right, const Theme& theme, Svg* svg) {
  const size_t n = tree.order.size();
  const double cell = rows.height() / static_cast<double>(n);
  std::vector<Point> ends(n + tree.joins.size());
  for (size_t i = 0; i < n; ++i) {
    ends[tree.order[i]] = {right,
                           rows.top + cell * (static_cast<double>(i) + 0.5)};
  }
  double least = 1;
  for (const Join& join : tree.joins) least = std::min(least, join.similarity);
  const double range = std::max(1 - least, 1e-6);
  for (size_t i = 0; i < tree.joins.size(); ++i) {
    const Join& join = tree.joins[i];
    const Point a = ends[join.left], b = ends[join.right];
    const double x =
        right -
        std::clamp((1 - join.similarity) / range, 0.0, 1.0) * (right - left);
    svg->Polyline({a, {x, a.y}, {x, b.y}, b}, theme.axis, 1.2);
    ends[n + i] = {x, (a.y + b.y) / 2};
  }
}

void DrawColorBar(const Scale& scale, const Box& box, const Theme& theme,
                  Svg* svg) {
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i) {
    const double step = box.height() / kSteps;
    const double top = box.bottom - step * (i + 1);
    svg->Rectangle(
        {box.left, std::max(box.top, top - 0.4), box.right, top + step},
        ScaleColor((i + 0.5) / kSteps));
  }
  for (const double tick : scale.ticks()) {
    const double y = scale.Place(tick, box.bottom, box.top);
    svg->Line({box.right, y}, {box.right + 4, y}, theme.axis);
    svg->Text({box.right + 8, y + 4}, scale.Name(tick),
              {.size = kTickSize, .color = theme.muted});
  }
}

}  // namespace

Dendrogram Cluster(const std::vector<float>& similarities, size_t n) {
  return Clustering(similarities, n).Run();
}

Svg DrawMatrix(const std::vector<std::string>& words,
               const std::vector<float>& similarities, const Headline& headline,
               const Theme& theme) {
  const Dendrogram tree = Cluster(similarities, words.size());
  std::vector<std::string> names;
  for (const size_t word : tree.order) names.push_back(Shown(words[word], 24));
  const double side =
      CellSize(words.size()) * static_cast<double>(names.size());
  const double label =
      WidestText(names, std::min(kLabelSize, CellSize(names.size()) * 0.85)) +
      14;
  const double top =
      kMargin + TitleHeight(headline.title, headline.subtitle) + label;
  const double left = kMargin + kTree + label;
  const Box box = {left, top, left + side, top + side};
  Svg svg(box.right + 88, box.bottom + kMargin, theme.ground);
  DrawTitle(headline.title, headline.subtitle, theme, &svg);
  const Scale scale = ColorScale(similarities, names.size());
  DrawTree(tree, box, kMargin, kMargin + kTree, theme, &svg);
  DrawRowNames(names, box, theme, &svg);
  DrawCells(tree.order, similarities, scale, box, &svg);
  DrawColorBar(scale,
               {box.right + 20, box.top, box.right + 20 + kBar,
                box.top + std::min(side, 320.0)},
               theme, &svg);
  return svg;
}

}  // namespace firth::tools
