#include "query/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/normal_quantile.h"

namespace firth {
namespace {

double Mean(absl::Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

}  // namespace

std::vector<double> AverageRanks(absl::Span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [values](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    // Positions begin ... end - 1 have the ranks begin + 1 ... end.
    for (size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    }
  }
  return ranks;
}

double PearsonCorrelation(absl::Span<const double> x,
                          absl::Span<const double> y) {
  const double mean_x = Mean(x);
  const double mean_y = Mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0 && yy > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

double SpearmanCorrelation(absl::Span<const double> x,
                           absl::Span<const double> y) {
  FIRTH_CHECK(x.size() == y.size());
  return PearsonCorrelation(AverageRanks(x), AverageRanks(y));
}

Interval SpearmanInterval(double r, size_t n) {
  if (n < 4 || std::isnan(r)) return {-1, 1};
  const double error = std::sqrt((1 + r * r / 2) / static_cast<double>(n - 3));
  return {std::tanh(std::atanh(r) - kZ95 * error),
          std::tanh(std::atanh(r) + kZ95 * error)};
}

}  // namespace firth
