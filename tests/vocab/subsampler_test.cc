#include "vocab/subsampler.h"

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

const std::vector<uint64_t> kCounts = {900000, 90000, 9000, 1000, 0};

TEST(SubsamplerTest, KeepsWordsAsWord2vecsCodeDoes) {
  const Subsampler subsampler(kCounts, 1e-3);
  const double total = 1e6;
  for (size_t i = 0; i + 1 < kCounts.size(); ++i) {
    const double ratio = 1e-3 * total / static_cast<double>(kCounts[i]);
    EXPECT_NEAR(subsampler.KeepProbability(ToWordId(i)),
                std::min(1.0, std::sqrt(ratio) + ratio), 1e-6);
  }
}

TEST(SubsamplerTest, DrawsFollowTheProbability) {
  const Subsampler subsampler(kCounts, 1e-3);
  const double keep = subsampler.KeepProbability(ToWordId(0));
  Rng rng(3);
  int kept = 0;
  for (int i = 0; i < 100000; ++i) {
    kept +=
        subsampler.Keeps(ToWordId(0), static_cast<uint32_t>(rng.Next() >> 32));
  }
  EXPECT_NEAR(kept, 100000 * keep, 5 * std::sqrt(100000 * keep));
}

TEST(SubsamplerTest, CountsMayStandInAnyOrder) {
  const Subsampler subsampler(std::vector<uint64_t>{0, 1000, 900000, 9000, 10},
                              1e-3);
  const Subsampler sorted(kCounts, 1e-3);
  EXPECT_NEAR(subsampler.KeepProbability(ToWordId(2)),
              sorted.KeepProbability(ToWordId(0)), 2e-2);
  for (const size_t word : {0u, 1u, 4u}) {
    EXPECT_EQ(subsampler.KeepProbability(ToWordId(word)), 1) << word;
    EXPECT_TRUE(subsampler.Keeps(ToWordId(word), 0xffffffffu)) << word;
  }
  EXPECT_FALSE(subsampler.Keeps(ToWordId(2), 0xffffffffu));
}

TEST(SubsamplerTest, ThresholdZeroKeepsEverything) {
  const Subsampler subsampler(kCounts, 0);
  for (size_t i = 0; i < kCounts.size(); ++i) {
    EXPECT_TRUE(subsampler.Keeps(ToWordId(i), 0xffffffffu));
  }
}

}  // namespace
}  // namespace firth
