// Converts floats to and from IEEE 754 binary16, which has 1 sign bit, 5
// exponent bits and 10 mantissa bits. (simd/stored_rows.h converts many at
// once.)

#ifndef FIRTH_BASE_FLOAT16_H_
#define FIRTH_BASE_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace firth {

constexpr float kMostFloat16 = 65504;

// Rounds to the nearest number, and ties to even. Values from half a step above
// kMostFloat16 on become infinity. `value` must not be NaN.
constexpr uint16_t ToFloat16Bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  constexpr uint32_t kInfinity = 0x477ff000;  // 65520 rounds to 2^16.
  if (magnitude >= kInfinity) return sign | 0x7c00;
  constexpr uint32_t kLeastNormal = 0x38800000;  // 2^-14
  if (magnitude < kLeastNormal) {
    // Adding 1/2 makes the last bit 2^-24, as in binary16, and rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  const uint32_t odd = (magnitude >> 13) & 1;
  const uint32_t rounded = magnitude + 0xfff + odd - 0x38000000;
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

// Converts exactly, including infinities and NaN.
constexpr float FromFloat16Bits(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t magnitude = bits & 0x7fff;
  if (magnitude < 0x400) {  // Below 2^-14, in steps of 2^-24.
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign == 0 ? value : -value;
  }
  const uint32_t exponent_step = magnitude < 0x7c00 ? 127 - 15 : 255 - 31;
  return std::bit_cast<float>(sign |
                              ((magnitude << 13) + (exponent_step << 23)));
}

}  // namespace firth

#endif  // FIRTH_BASE_FLOAT16_H_
