#include "vocab/noise_distribution.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace firth {
namespace {

constexpr double kColumn = 4294967296.0;  // 2^32, a whole column.

// Returns the weight of each word, scaled so that the mean is 1.
std::vector<double> ScaledWeights(absl::Span<const uint64_t> counts,
                                  double exponent) {
  std::vector<double> weights(counts.size());
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    // 0^0 is 1, so a word that never occurs would be drawn with exponent 0.
    weights[i] =
        counts[i] == 0 ? 0 : std::pow(static_cast<double>(counts[i]), exponent);
    sum += weights[i];
  }
  FIRTH_CHECK(sum > 0);
  const double scale = static_cast<double>(counts.size()) / sum;
  for (double& weight : weights) weight *= scale;
  return weights;
}

uint32_t ToShare(double weight) {
  return static_cast<uint32_t>(std::min(weight * kColumn, kColumn - 1));
}

}  // namespace

NoiseDistribution::NoiseDistribution(absl::Span<const uint64_t> counts,
                                     double exponent)
    : columns_(counts.size()) {
  std::vector<double> weights = ScaledWeights(counts, exponent);
  std::vector<uint32_t> small;
  std::vector<uint32_t> large;
  for (uint32_t i = 0; i < weights.size(); ++i) {
    (weights[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const uint32_t needy = small.back();
    const uint32_t donor = large.back();
    small.pop_back();
    columns_[needy] = {ToShare(weights[needy]), donor};
    weights[donor] -= 1 - weights[needy];
    if (weights[donor] < 1) {
      large.pop_back();
      small.push_back(donor);
    }
  }
  // Columns that are left over because of rounding are whole, except those of
  // words that are never drawn.
  const auto heaviest = static_cast<uint32_t>(
      std::max_element(counts.begin(), counts.end()) - counts.begin());
  for (const std::vector<uint32_t>* rest : {&small, &large}) {
    for (const uint32_t i : *rest) {
      columns_[i] = {counts[i] == 0 ? 0u : ToShare(1.0),
                     counts[i] == 0 ? heaviest : i};
    }
  }
}

std::vector<double> NoiseDistribution::Probabilities() const {
  std::vector<double> probabilities(columns_.size(), 0.0);
  const double column = 1.0 / static_cast<double>(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const double own = columns_[i].own_share / kColumn;
    probabilities[i] += own * column;
    probabilities[columns_[i].alias] += (1 - own) * column;
  }
  return probabilities;
}

}  // namespace firth
