// The density is a grid of counts, smoothed along rows and then along columns.
// A peak is a cell that is denser than its eight neighbors.

#include "layout/clusters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace firth {
namespace {

// Widths of the Gaussians, as fractions of the standard deviation of the
// points. With these, the map of 20,000 words has about 10, 40 and 150 peaks.
constexpr std::array<double, 3> kWidths = {0.15, 0.07, 0.03};
// Cells per width, and maximum number of cells along a side. A distant point
// makes the cells wider.
constexpr double kCellsPerWidth = 3;
constexpr double kMostCells = 1000;
// Minimum number of words in a peak, where a word at its center counts 1, and
// number of words in its label.
constexpr float kFewestWords = 3;
constexpr size_t kLabelWords = 5;

// Counts of points in square cells, with a margin wide enough that no peak lies
// on the boundary.
class DensityGrid {
 public:
  DensityGrid(const std::vector<Point>& points, float width) : low_(points[0]) {
    Point high = low_;
    for (const Point& point : points) {
      low_ = {std::min(low_.x, point.x), std::min(low_.y, point.y)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y)};
    }
    const double extent = std::max(high.x - low_.x, high.y - low_.y);
    cell_ = static_cast<float>(
        std::max(width / kCellsPerWidth, extent / kMostCells));
    low_ = low_ - Point{kMargin * cell_, kMargin * cell_};
    cols_ = 2 * kMargin + 1 + static_cast<size_t>((high.x - low_.x) / cell_);
    rows_ = 2 * kMargin + 1 + static_cast<size_t>((high.y - low_.y) / cell_);
    cells_.resize(cols_ * rows_);
    for (const Point& point : points) {
      const Point at = 1 / cell_ * (point - low_);
      ++cells_[static_cast<size_t>(at.y) * cols_ + static_cast<size_t>(at.x)];
    }
    Smooth(width / cell_);
  }

  // Returns the cells that are denser than their neighbors, densest first.
  std::vector<std::pair<float, Point>> Peaks() const {
    std::vector<std::pair<float, Point>> peaks;
    for (size_t row = 1; row + 1 < rows_; ++row) {
      for (size_t col = 1; col + 1 < cols_; ++col) {
        const size_t cell = row * cols_ + col;
        if (cells_[cell] < kFewestWords || !IsPeak(cell)) continue;
        const Point middle = {static_cast<float>(col) + 0.5f,
                              static_cast<float>(row) + 0.5f};
        peaks.push_back({cells_[cell], low_ + cell_ * middle});
      }
    }
    std::stable_sort(
        peaks.begin(), peaks.end(),
        [](const auto& a, const auto& b) { return a.first > b.first; });
    return peaks;
  }

 private:
  static constexpr size_t kMargin = 2;

  // The first of several equal adjacent cells is the peak.
  bool IsPeak(size_t cell) const {
    const size_t before[] = {cell - cols_ - 1, cell - cols_, cell - cols_ + 1,
                             cell - 1};
    return std::all_of(std::begin(before), std::end(before), [&](size_t other) {
      return cells_[cell] > cells_[other] &&
             cells_[cell] >= cells_[2 * cell - other];
    });
  }

  // Smooths with a Gaussian of `width` cells whose center is 1.
  void Smooth(float width) {
    const auto reach = static_cast<size_t>(std::ceil(3 * width));
    std::vector<float> kernel(reach + 1);
    for (size_t i = 0; i <= reach; ++i) {
      const float deviation = static_cast<float>(i) / width;
      kernel[i] = std::exp(-deviation * deviation / 2);
    }
    for (size_t row = 0; row < rows_; ++row) {
      SmoothLine(kernel, &cells_[row * cols_], cols_, 1);
    }
    for (size_t col = 0; col < cols_; ++col) {
      SmoothLine(kernel, &cells_[col], rows_, cols_);
    }
  }

  static void SmoothLine(const std::vector<float>& kernel, float* line,
                         size_t size, size_t stride) {
    std::vector<float> smooth(size);
    for (size_t i = 0; i < size; ++i) {
      const float value = line[i * stride];
      if (value == 0) continue;
      for (size_t k = 0; k < kernel.size(); ++k) {
        if (i + k < size) smooth[i + k] += kernel[k] * value;
        if (k > 0 && k <= i) smooth[i - k] += kernel[k] * value;
      }
    }
    for (size_t i = 0; i < size; ++i) line[i * stride] = smooth[i];
  }

  Point low_;
  float cell_;
  size_t cols_, rows_;
  std::vector<float> cells_;  // [rows_, cols_]
};

double StandardDeviation(const std::vector<Point>& points) {
  double x = 0, y = 0, squares = 0;
  for (const Point& point : points) {
    x += point.x;
    y += point.y;
    squares += double{point.x} * point.x + double{point.y} * point.y;
  }
  const auto count = static_cast<double>(points.size());
  const double variance = squares / count - (x * x + y * y) / (count * count);
  return std::sqrt(std::max(variance, 0.0));
}

// Labels each cluster with the first words that lie within a width of it and
// are nearer to it than to any other cluster.
void AddLabels(const std::vector<Point>& points, const Vocabulary& vocabulary,
               float width, absl::Span<MapCluster> clusters) {
  for (size_t word = 0; word < points.size(); ++word) {
    MapCluster* nearest = nullptr;
    float least = width * width;
    for (MapCluster& cluster : clusters) {
      const float squared =
          SquaredLength(points[word] - Point{cluster.x, cluster.y});
      if (squared >= least) continue;
      least = squared;
      nearest = &cluster;
    }
    if (nearest == nullptr || nearest->words.size() == kLabelWords) continue;
    nearest->words.emplace_back(vocabulary.Word(ToWordId(word)));
  }
}

}  // namespace

std::vector<MapCluster> FindClusters(const std::vector<Point>& points,
                                     const Vocabulary& vocabulary) {
  std::vector<MapCluster> clusters;
  const double deviation = StandardDeviation(points);
  if (!(deviation > std::numeric_limits<float>::min())) return clusters;
  for (size_t level = 0; level < kWidths.size(); ++level) {
    const auto width = static_cast<float>(kWidths[level] * deviation);
    const size_t first = clusters.size();
    for (const auto& [density, peak] : DensityGrid(points, width).Peaks()) {
      clusters.push_back({peak.x, peak.y, static_cast<int>(level), {}});
    }
    AddLabels(points, vocabulary, width,
              absl::MakeSpan(clusters).subspan(first));
    clusters.erase(std::remove_if(clusters.begin() + first, clusters.end(),
                                  [](const MapCluster& cluster) {
                                    return cluster.words.empty();
                                  }),
                   clusters.end());
  }
  return clusters;
}

}  // namespace firth
