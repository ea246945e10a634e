#include "simd/stored_rows.h"

#include <cmath>
#include <vector>

#include "base/float16.h"
#include "gtest/gtest.h"
#include "support/targets.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// The floats behind the row stay as they are.
template <class Number, class Widen, class Expected>
void ExpectWidened(const std::vector<Number>& row, const Widen& widen,
                   const Expected& expected) {
  ForEachTarget([&] {
    for (size_t n = 0; n <= row.size(); ++n) {
      // Has the exact size, so that AddressSanitizer reports what is read
      // beyond its end.
      const std::vector<Number> from(row.begin(), row.begin() + n);
      std::vector<float> to(row.size() + 1, -7);
      widen(from.data(), n, to.data());
      for (size_t i = 0; i < to.size(); ++i) {
        EXPECT_EQ(to[i], i < n ? expected(row[i]) : -7) << i << " of " << n;
      }
    }
  });
}

TEST(WidenTest, Float16EqualsPlainLoop) {
  std::vector<uint16_t> row;
  for (const float value : RandomFloats(67, 1)) {
    row.push_back(ToFloat16Bits(value));
  }
  ExpectWidened(row, WidenFloat16, [](uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const float magnitude =
        exponent == 0 ? std::ldexp(static_cast<float>(bits & 1023), -24)
                      : std::ldexp(static_cast<float>(1024 + (bits & 1023)),
                                   exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  });
}

TEST(WidenTest, Int8EqualsPlainLoop) {
  std::vector<int8_t> row;
  for (int code = -127; code <= 127; code += 4) {
    row.push_back(static_cast<int8_t>(code));
  }
  ExpectWidened(
      row,
      [](const int8_t* from, size_t n, float* to) {
        WidenInt8(from, 0.3f, n, to);
      },
      [](int8_t code) { return static_cast<float>(code) * 0.3f; });
}

}  // namespace
}  // namespace firth
