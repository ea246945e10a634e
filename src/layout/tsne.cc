// Gradient descent on the Kullback-Leibler divergence, whose gradient at y_i is
// four times
//
//   sum_j p_ij q_ij (y_i - y_j)  -  sum_j q_ij^2 (y_i - y_j) / Z
//
// where q_ij = 1 / (1 + |y_i - y_j|^2) and Z is the sum of all q_ij. The first
// sum is over the edges of a word, the second over a quadtree. The step omits
// the factor four. The momentum, the gains and the initial exaggeration of p
// are those of van der Maaten. The learning rate is the number of words divided
// by the exaggeration (Belkina et al., "Automated optimized parameters for
// t-SNE", 2019).
//
// The points of the quadtree are sorted by the interleaved bits of their two
// coordinates (Morton 1966), 16 bits each. The points of a cell are then
// contiguous, and each pair of bits selects a quarter.

#include "layout/tsne.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/types/span.h"

namespace firth {
namespace {

constexpr float kAngle = 0.5f;
constexpr double kExaggeration = 12;

// Sets values to exp(-beta * squared distance), divided by their sum, and
// returns their entropy in nats. squared: [count], with the minimum first.
double SetProbabilities(const std::vector<double>& squared, double beta,
                        std::vector<double>* values) {
  double sum = 0, mean = 0;
  for (size_t i = 0; i < squared.size(); ++i) {
    const double more = squared[i] - squared[0];
    (*values)[i] = std::exp(-beta * more);
    sum += (*values)[i];
    mean += beta * more * (*values)[i];
  }
  for (double& value : *values) value /= sum;
  return std::log(sum) + mean / sum;
}

// Buffers of one thread for computing probabilities.
struct ProbabilityBuffers {
  explicit ProbabilityBuffers(size_t count)
      : squared(count), probabilities(count) {}

  std::vector<double> squared;
  std::vector<double> probabilities;
};

void FindProbabilities(double perplexity, ProbabilityBuffers* buffers,
                       absl::Span<float> values) {
  auto& [squared, probabilities] = *buffers;
  for (size_t i = 0; i < values.size(); ++i) squared[i] = 2 * values[i];
  const double wanted = std::log(perplexity);
  double low = 0, high = std::numeric_limits<double>::infinity(), beta = 1;
  for (int step = 0; step < 64; ++step) {
    const double entropy = SetProbabilities(squared, beta, &probabilities);
    (entropy > wanted ? low : high) = beta;
    beta = std::isinf(high) ? 2 * beta : (low + high) / 2;
  }
  std::copy(probabilities.begin(), probabilities.end(), values.begin());
}

class TsneRun {
 public:
  TsneRun(const NeighborGraph& graph, const Anchors& anchors,
          std::vector<Point>* points)
      : graph_(graph),
        anchors_(anchors),
        points_(*points),
        size_(points->size()),
        speeds_(size_),
        gains_(size_, {1, 1}),
        pushes_(size_) {}

  // The values of p are multiplied by `exaggeration`.
  void Step(double exaggeration, float momentum) {
    const double total = Push();
    // The weights sum to the number of words, the probabilities to 1.
    const auto pull =
        static_cast<float>(exaggeration / static_cast<double>(size_));
    const auto push = static_cast<float>(1 / std::max(total, 1e-300));
    const auto rate = static_cast<float>(
        std::max(static_cast<double>(size_) / kExaggeration, 200.0));
    std::vector<Point> moved(size_);
#pragma omp parallel for schedule(static) if (size_ > kPointsOfAThread)
    for (size_t word = 0; word < size_; ++word) {
      const Point gradient = pull * PullOf(word) - push * pushes_[word];
      Point& speed = speeds_[word];
      Point& gain = gains_[word];
      Accelerate(rate * gradient.x, momentum, &gain.x, &speed.x);
      Accelerate(rate * gradient.y, momentum, &gain.y, &speed.y);
      moved[word] = anchors_.Drawn(word, points_[word] + speed, 1);
    }
    points_.swap(moved);
  }

 private:
  // Steps grow while their direction stays the same.
  static void Accelerate(float step, float momentum, float* gain,
                         float* speed) {
    *gain = step * *speed < 0 ? *gain + 0.2f : *gain * 0.8f;
    *gain = std::max(*gain, 0.01f);
    *speed = momentum * *speed - *gain * step;
  }

  Point PullOf(size_t word) const {
    Point sum;
    for (size_t i = graph_.begins[word]; i < graph_.begins[word + 1]; ++i) {
      const Point way = points_[word] - points_[graph_.others[i]];
      sum = sum + graph_.weights[i] / (1 + SquaredLength(way)) * way;
    }
    return sum;
  }

  // Sets pushes_ and returns Z. The sum is over blocks, added in order, so it
  // does not depend on the number of threads.
  double Push() {
    constexpr size_t kBlock = 256;
    const QuadTree tree(points_);
    std::vector<double> totals((size_ + kBlock - 1) / kBlock);
#pragma omp parallel for schedule(dynamic) if (size_ > kPointsOfAThread)
    for (size_t block = 0; block < totals.size(); ++block) {
      const size_t end = std::min(size_, (block + 1) * kBlock);
      for (size_t place = block * kBlock; place < end; ++place) {
        const QuadTree::Repulsion repulsion =
            tree.Repel(static_cast<uint32_t>(place), kAngle);
        pushes_[tree.order()[place]] = repulsion.force;
        totals[block] += repulsion.weight;
      }
    }
    double total = 0;
    for (const double part : totals) total += part;
    return total;
  }

  const NeighborGraph& graph_;
  const Anchors& anchors_;
  std::vector<Point>& points_;
  const size_t size_;
  std::vector<Point> speeds_;
  std::vector<Point> gains_;
  std::vector<Point> pushes_;
};

constexpr int kBits = 16;  // bits per coordinate

// Moves each of the 16 bits of x to twice its position.
uint32_t SpreadBits(uint32_t x) {
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

struct Square {
  Point corner;
  float width;
};

Square BoundsOf(const std::vector<Point>& points) {
  Point low = points[0], high = points[0];
  for (const Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  return {low, std::max(high.x - low.x, high.y - low.y)};
}

uint32_t CodeOf(Point point, const Square& bounds) {
  constexpr uint32_t kMost = (1u << kBits) - 1;
  const float scale = bounds.width > 0 ? (1 << kBits) / bounds.width : 0;
  const auto cell = [&](float distance) {
    const float at = scale * distance;
    return at < static_cast<float>(kMost) ? static_cast<uint32_t>(at) : kMost;
  };
  return SpreadBits(cell(point.x - bounds.corner.x)) |
         SpreadBits(cell(point.y - bounds.corner.y)) << 1;
}

}  // namespace

QuadTree::QuadTree(const std::vector<Point>& points) {
  const Square bounds = BoundsOf(points);
  width_ = bounds.width;
  std::vector<std::pair<uint32_t, uint32_t>> sorted;  // code and point
  sorted.reserve(points.size());
  for (uint32_t i = 0; i < points.size(); ++i) {
    sorted.push_back({CodeOf(points[i], bounds), i});
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [code, point] : sorted) {
    codes_.push_back(code);
    order_.push_back(point);
    points_.push_back(points[point]);
  }
  AddCell(0, static_cast<uint32_t>(points.size()), 2 * kBits);
}

// `bit` is the number of low bits in which the codes may differ.
void QuadTree::AddCell(uint32_t begin, uint32_t end, int bit) {
  // Skip levels on which all points are in one quarter.
  while (bit >= 2 &&
         codes_[begin] >> (bit - 2) == codes_[end - 1] >> (bit - 2)) {
    bit -= 2;
  }
  const size_t self = cells_.size();
  double x = 0, y = 0;
  for (uint32_t i = begin; i < end; ++i) {
    x += points_[i].x;
    y += points_[i].y;
  }
  const double count = end - begin;
  const float width = std::ldexp(width_, bit / 2 - kBits);
  cells_.push_back(
      {{static_cast<float>(x / count), static_cast<float>(y / count)},
       width * width,
       static_cast<float>(count),
       begin,
       end,
       0,
       bit == 0});
  for (uint32_t first = begin; bit > 0 && first < end;) {
    const uint32_t quarter = codes_[first] >> (bit - 2);
    const auto last =
        std::upper_bound(codes_.begin() + first, codes_.begin() + end, quarter,
                         [&](uint32_t wanted, uint32_t code) {
                           return wanted < code >> (bit - 2);
                         });
    const auto next = static_cast<uint32_t>(last - codes_.begin());
    AddCell(first, next, bit - 2);
    first = next;
  }
  cells_[self].skip = static_cast<uint32_t>(cells_.size());
}

QuadTree::Repulsion QuadTree::Repel(uint32_t place, float angle) const {
  const Point point = points_[place];
  const float squared_angle = angle * angle;
  Repulsion sum;
  for (size_t i = 0; i < cells_.size();) {
    const Cell& cell = cells_[i];
    const Point way = point - cell.center;
    const float squared = SquaredLength(way);
    const bool is_far = cell.squared_width < squared_angle * squared;
    if (!is_far && !cell.is_leaf) {
      ++i;
      continue;
    }
    // A leaf counts as one position. A point in the leaf is repelled only by
    // the others.
    const bool is_own = place >= cell.begin && place < cell.end;
    const float count = is_own ? cell.count - 1 : cell.count;
    const float q = 1 / (1 + squared);
    sum.weight += double{count} * q;
    sum.force = sum.force + count * q * q * way;
    i = cell.skip;
  }
  return sum;
}

size_t TsneNeighbors(const TsneMethod& method) {
  return static_cast<size_t>(std::ceil(3 * method.perplexity));
}

void DistancesToProbabilities(double perplexity, NeighborLists* lists) {
  const double most = static_cast<double>(lists->count) / 3;
  perplexity = std::max(std::min(perplexity, most), 1.0);
  // Allocated here because no exception may leave a parallel loop.
  std::vector<ProbabilityBuffers> buffers(
      static_cast<size_t>(omp_get_max_threads()),
      ProbabilityBuffers(lists->count));
#pragma omp parallel for schedule(static)
  for (size_t word = 0; word < lists->size(); ++word) {
    FindProbabilities(perplexity,
                      &buffers[static_cast<size_t>(omp_get_thread_num())],
                      lists->Values(word));
  }
}

absl::Status OptimizeTsne(const NeighborGraph& graph, const TsneMethod& method,
                          const Anchors& anchors, Continue go_on,
                          std::vector<Point>* points) {
  const int epochs = method.epochs > 0 ? method.epochs : 1000;
  // Groups form while the map is small. Words placed among others already
  // belong to a group.
  const int exaggerated = anchors.places.empty() ? epochs / 4 : 0;
  TsneRun run(graph, anchors, points);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (!go_on(static_cast<double>(epoch) / epochs)) {
      return absl::CancelledError("interrupted");
    }
    const bool early = epoch < exaggerated;
    run.Step(early ? kExaggeration : 1, early ? 0.5f : 0.8f);
  }
  return absl::OkStatus();
}

}  // namespace firth
