#include "base/float16.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simd/stored_rows.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// By the definition of the format.
double ValueOf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, -24)
                               : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float Widened(uint16_t bits) {
  float value;
  WidenFloat16(&bits, 1, &value);
  return value;
}

TEST(Float16Test, EveryFiniteNumberComesBack) {
  ForEachTarget([] {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      if ((bits & 0x7c00) == 0x7c00) continue;  // infinities and NaN
      const float value = Widened(static_cast<uint16_t>(bits));
      ASSERT_EQ(value, ValueOf(static_cast<uint16_t>(bits))) << bits;
      ASSERT_EQ(ToFloat16Bits(value), bits);
      ASSERT_EQ(FromFloat16Bits(static_cast<uint16_t>(bits)), value) << bits;
    }
  });
}

// Half-way values go to the even one, all others to the nearest.
TEST(Float16Test, RoundsToTheNearestAndThenToEven) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = ValueOf(bits);
    const double high = ValueOf(static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const auto even = static_cast<uint16_t>(bits + (bits & 1));
    ASSERT_EQ(ToFloat16Bits(middle), even) << bits;
    ASSERT_EQ(ToFloat16Bits(-middle), even | 0x8000) << bits;
    const float infinity = std::numeric_limits<float>::infinity();
    ASSERT_EQ(ToFloat16Bits(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(ToFloat16Bits(std::nextafter(middle, infinity)), bits + 1);
  }
}

TEST(Float16Test, TheLargestAndTheSmallest) {
  EXPECT_EQ(ToFloat16Bits(kMostFloat16), 0x7bff);
  EXPECT_EQ(ToFloat16Bits(65519.9f), 0x7bff);
  EXPECT_EQ(ToFloat16Bits(65520.0f), 0x7c00);
  EXPECT_EQ(ToFloat16Bits(-1e30f), 0xfc00);
  EXPECT_EQ(ToFloat16Bits(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(ToFloat16Bits(-0.0f), 0x8000);
  EXPECT_TRUE(std::signbit(FromFloat16Bits(0x8000)));
  EXPECT_EQ(FromFloat16Bits(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(FromFloat16Bits(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(FromFloat16Bits(0x7c01)));
  EXPECT_EQ(ToFloat16Bits(std::numeric_limits<float>::denorm_min()), 0);
}

}  // namespace
}  // namespace firth
