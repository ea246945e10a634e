#include "base/rng.h"

#include <array>
#include <bit>
#include <set>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(RngTest, OneKeyGivesOneSequence) {
  Rng a(7), b(7), c(8);
  for (int i = 0; i < 100; ++i) {
    const uint64_t drawn = a.Next();
    EXPECT_EQ(drawn, b.Next());
    EXPECT_NE(drawn, c.Next());
  }
}

TEST(RngTest, NeighbouringKeysAreUnrelated) {
  std::set<uint64_t> firsts;
  int bits = 0;
  for (uint64_t key = 0; key < 10000; ++key) {
    const uint64_t drawn = Rng(key).Next();
    firsts.insert(drawn);
    bits += std::popcount(drawn ^ Rng(key + 1).Next());
  }
  EXPECT_EQ(firsts.size(), 10000u);
  EXPECT_NEAR(bits / 10000.0, 32, 0.3);
}

TEST(RngTest, KeysCombineInOrder) {
  EXPECT_NE(CombineKeys(1, 2), CombineKeys(2, 1));
  EXPECT_NE(CombineKeys(0, 0), CombineKeys(0, 1));
}

TEST(RngTest, BelowIsUniform) {
  Rng rng(1);
  std::array<int, 10> drawn{};
  for (int i = 0; i < 100000; ++i) {
    const uint32_t number = rng.Below(10);
    ASSERT_LT(number, 10u);
    ++drawn[number];
  }
  // Within 5 standard deviations of 10,000.
  for (const int count : drawn) EXPECT_NEAR(count, 10000, 475);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.Below(1), 0u);
}

TEST(RngTest, FloatsFillTheUnitInterval) {
  Rng rng(2);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const float number = rng.NextFloat();
    ASSERT_GE(number, 0.0f);
    ASSERT_LT(number, 1.0f);
    sum += number;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

}  // namespace
}  // namespace firth
