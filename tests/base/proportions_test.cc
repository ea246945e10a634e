#include "firth/proportions.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace firth {
namespace {

struct WilsonCase {
  const char* name;
  uint64_t correct, asked;
  double low, high;
};

class WilsonIntervalTest : public testing::TestWithParam<WilsonCase> {};

TEST_P(WilsonIntervalTest, EqualsSciPy) {
  const Interval interval =
      WilsonInterval(GetParam().correct, GetParam().asked);
  EXPECT_NEAR(interval.low, GetParam().low, 1e-12);
  EXPECT_NEAR(interval.high, GetParam().high, 1e-12);
  EXPECT_GE(interval.low, 0);
  EXPECT_LE(interval.high, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, WilsonIntervalTest,
    testing::Values(
        WilsonCase{"NoneAsked", 0, 0, 0, 1},
        WilsonCase{"NoneRight", 0, 10, 0, 0.277532799863},
        WilsonCase{"AllRight", 10, 10, 0.722467200137, 1},
        WilsonCase{"OneOfOne", 1, 1, 0.206549314377, 1},
        WilsonCase{"MostRight", 7, 10, 0.396778147461, 0.892208732594},
        WilsonCase{"Many", 300, 1000, 0.272406842477, 0.329123860917}),
    [](const auto& info) { return info.param.name; });

struct McNemarCase {
  const char* name;
  uint64_t only_first, only_second;
  double p;
};

class McNemarTest : public testing::TestWithParam<McNemarCase> {};

TEST_P(McNemarTest, EqualsTwiceTheTailOfTheBinomialDistribution) {
  EXPECT_NEAR(McNemarP(GetParam().only_first, GetParam().only_second),
              GetParam().p, 1e-12);
  EXPECT_NEAR(McNemarP(GetParam().only_second, GetParam().only_first),
              GetParam().p, 1e-12);
}

// By hand, with powers of 2.
INSTANTIATE_TEST_SUITE_P(
    All, McNemarTest,
    testing::Values(McNemarCase{"Same", 0, 0, 1}, McNemarCase{"One", 0, 1, 1},
                    McNemarCase{"AsMany", 3, 3, 1},
                    McNemarCase{"Six", 0, 6, 2.0 / 64},
                    McNemarCase{"OneOfTen", 1, 9, 2 * 11.0 / 1024},
                    McNemarCase{"TwoOfTen", 2, 8, 2 * 56.0 / 1024}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace firth
