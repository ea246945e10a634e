#include "firth/proportions.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/normal_quantile.h"

namespace firth {
namespace {

// std::lgamma() writes to a global variable.
double LogGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

Interval WilsonInterval(uint64_t correct, uint64_t asked) {
  FIRTH_CHECK(correct <= asked);
  if (asked == 0) return {0, 1};
  const double n = static_cast<double>(asked);
  const double p = static_cast<double>(correct) / n;
  const double z2_n = kZ95 * kZ95 / n;
  const double center = (p + z2_n / 2) / (1 + z2_n);
  const double half =
      kZ95 * std::sqrt(p * (1 - p) / n + z2_n / (4 * n)) / (1 + z2_n);
  return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

// Returns twice the probability that at most `fewer` of n fair coins show
// heads.
double McNemarP(uint64_t only_first, uint64_t only_second) {
  const uint64_t fewer = std::min(only_first, only_second);
  const auto coins = static_cast<double>(only_first + only_second);
  const double log_all = LogGamma(coins + 1) - coins * std::log(2.0);
  double sum = 0;
  for (uint64_t heads = 0; heads <= fewer; ++heads) {
    const auto k = static_cast<double>(heads);
    sum += std::exp(log_all - LogGamma(k + 1) - LogGamma(coins - k + 1));
  }
  return std::min(1.0, 2 * sum);
}

}  // namespace firth
