#include "run/run.h"

#include <cmath>
#include <limits>
#include <optional>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RunTest, TheBestIsTheFirstOfTheGreatest) {
  EXPECT_EQ(BestOf({}), 0u);
  EXPECT_EQ(BestOf({std::nullopt}), 0u);
  EXPECT_EQ(BestOf({-2, -1, -1, std::nullopt, -3}), 2u);
}

TEST(RunTest, WhatIsNoNumberIsNeverTheBest) {
  EXPECT_EQ(BestOf({kNan}), 0u);
  EXPECT_EQ(BestOf({-5, kNan, -6, -kInfinity}), 1u);
  EXPECT_EQ(BestOf({kNan, -5, -4}), 3u);
}

TEST(JsonTest, EveryNumberComesBack) {
  for (const double number : {0.0, -1.5, 1e300, kInfinity, -kInfinity}) {
    EXPECT_EQ(NumberOfJson(ParseJson(DumpJson(JsonOfNumber(number)))), number);
  }
  EXPECT_TRUE(
      std::isnan(NumberOfJson(ParseJson(DumpJson(JsonOfNumber(kNan))))));
}

}  // namespace
}  // namespace firth
