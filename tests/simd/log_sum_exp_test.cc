#include "simd/softmax_kernel.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "support/targets.h"

namespace firth {
namespace {

std::vector<float> Scores(size_t count) {
  std::vector<float> scores(count);
  for (size_t i = 0; i < count; ++i) {
    scores[i] = 10 * std::sin(static_cast<float>(i * i));
  }
  return scores;
}

TEST(LogSumExpTest, AgreesWithPlainLoopForEveryLength) {
  ForEachTarget([] {
    for (size_t count = 1; count <= 67; ++count) {
      const std::vector<float> scores = Scores(count);
      double sum = 0;
      for (const float score : scores) sum += std::exp(double{score});
      EXPECT_NEAR(LogSumExp(scores.data(), count), std::log(sum), 1e-5);
    }
  });
}

TEST(LogSumExpTest, HugeScoresDoNotOverflow) {
  ForEachTarget([] {
    const std::vector<float> scores(20, 1e30f);
    EXPECT_FLOAT_EQ(LogSumExp(scores.data(), 20), 1e30f);
  });
}

TEST(LogSumExpTest, NanIsNotHidden) {
  ForEachTarget([] {
    for (size_t at = 0; at < 20; ++at) {
      std::vector<float> scores(20, 1.0f);
      scores[at] = NAN;
      EXPECT_TRUE(std::isnan(LogSumExp(scores.data(), 20))) << at;
    }
  });
}

}  // namespace
}  // namespace firth
