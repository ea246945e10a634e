#include "vocab/noise_distribution.h"

#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

const std::vector<uint64_t> kCounts = {1000, 300, 300, 70, 9, 5, 1, 0};

std::vector<double> Wanted(double exponent) {
  std::vector<double> wanted;
  wanted.reserve(std::size(kCounts));
  for (const uint64_t count : kCounts) {
    wanted.push_back(count == 0 ? 0 : std::pow(count, exponent));
  }
  const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  for (double& value : wanted) value /= sum;
  return wanted;
}

TEST(NoiseDistributionTest, ProbabilitiesFollowCountsToTheExponent) {
  for (const double exponent : {0.75, 1.0, 0.0, -0.5}) {
    const auto wanted = Wanted(exponent);
    const auto found = NoiseDistribution(kCounts, exponent).Probabilities();
    for (size_t i = 0; i < kCounts.size(); ++i) {
      EXPECT_NEAR(found[i], wanted[i], 1e-9) << exponent << ", word " << i;
    }
  }
}

TEST(NoiseDistributionTest, DrawsFollowCountsToThePowerThreeQuarters) {
  const NoiseDistribution noise(kCounts, 0.75);
  const auto wanted = Wanted(0.75);
  constexpr int kDraws = 1000000;
  std::vector<int> drawn(kCounts.size(), 0);
  Rng rng(1);
  for (int i = 0; i < kDraws; ++i) ++drawn[Index(noise.Sample(rng))];
  for (size_t i = 0; i < kCounts.size(); ++i) {
    const double sigma = std::sqrt(kDraws * wanted[i] * (1 - wanted[i]));
    EXPECT_NEAR(drawn[i], kDraws * wanted[i], 5 * sigma) << "word " << i;
  }
}

TEST(NoiseDistributionTest, WordsThatNeverOccurAreNeverDrawn) {
  const NoiseDistribution noise(std::vector<uint64_t>{0, 0, 3, 0}, 0.0);
  Rng rng(2);
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(noise.Sample(rng), ToWordId(2));
  }
}

TEST(NoiseDistributionTest, ProbabilitiesSumToOneForManyWords) {
  std::vector<uint64_t> counts(100000);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = 1 + 10000000 / (i + 1);
  const auto found = NoiseDistribution(counts, 0.75).Probabilities();
  EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1, 1e-9);
}

}  // namespace
}  // namespace firth
