#include "query/statistics.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;

// Expected values of this file: SciPy 1.10 (rankdata, spearmanr,
// binomtest(...).proportion_ci(method="wilson")).

TEST(AverageRanksTest, EqualValuesShareTheMeanOfTheirRanks) {
  EXPECT_THAT(AverageRanks({1, 2, 2, 3, 5, 5, 5, 8, 9, 10.5}),
              ElementsAre(1, 2.5, 2.5, 4, 6, 6, 6, 8, 9, 10));
  EXPECT_THAT(AverageRanks({0.3, 0.1, 0.4, 0.4, 0.2, 0.9, 0.4, 0.6, 0.9, 0.8}),
              ElementsAre(3, 1, 5, 5, 2, 9.5, 5, 7, 9.5, 8));
  EXPECT_THAT(AverageRanks({}), ElementsAre());
}

TEST(SpearmanCorrelationTest, EqualsSciPyWithTies) {
  EXPECT_NEAR(
      SpearmanCorrelation({1, 2, 2, 3, 5, 5, 5, 8, 9, 10.5},
                          {0.3, 0.1, 0.4, 0.4, 0.2, 0.9, 0.4, 0.6, 0.9, 0.8}),
      0.7, 1e-12);
}

TEST(SpearmanCorrelationTest, SeesOnlyTheOrder) {
  EXPECT_DOUBLE_EQ(SpearmanCorrelation({1, 2, 3, 4}, {-9, 0, 1e9, 1e10}), 1);
  EXPECT_DOUBLE_EQ(SpearmanCorrelation({1, 2, 3}, {0.3, 0.2, 0.1}), -1);
}

TEST(SpearmanCorrelationTest, IsNanWhereUndefined) {
  EXPECT_TRUE(std::isnan(SpearmanCorrelation({}, {})));
  EXPECT_TRUE(std::isnan(SpearmanCorrelation({1}, {2})));
  EXPECT_TRUE(std::isnan(SpearmanCorrelation({1, 2, 3}, {5, 5, 5})));
}

struct SpearmanIntervalCase {
  const char* name;
  double r;
  size_t n;
  double low, high;
};

class SpearmanIntervalTest
    : public testing::TestWithParam<SpearmanIntervalCase> {};

TEST_P(SpearmanIntervalTest, IsAsExpected) {
  const Interval interval = SpearmanInterval(GetParam().r, GetParam().n);
  EXPECT_NEAR(interval.low, GetParam().low, 1e-9);
  EXPECT_NEAR(interval.high, GetParam().high, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    All, SpearmanIntervalTest,
    testing::Values(
        SpearmanIntervalCase{"Few", 0.7, 10, 0.040700213300, 0.934639405790},
        SpearmanIntervalCase{"Many", 0.5, 100, 0.325896587248, 0.641301890851},
        SpearmanIntervalCase{"Perfect", 1, 10, 1, 1},
        SpearmanIntervalCase{"TooFew", 0.5, 3, -1, 1},
        SpearmanIntervalCase{"Undefined", std::nan(""), 10, -1, 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace firth
