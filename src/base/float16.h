// From float to IEEE 754 binary16, of 1 sign bit, 5 exponent and 10 mantissa
// bits. (simd/widen.h goes the other way.)

#ifndef FIRTH_BASE_FLOAT16_H_
#define FIRTH_BASE_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace firth {

constexpr float kMostFloat16 = 65504;

// The nearest number, of two as near the even one; infinity beyond
// kMostFloat16, less half a step. value: no NaN.
constexpr uint16_t ToFloat16Bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  constexpr uint32_t kInfinity = 0x477ff000;  // 65520: rounds to 2^16
  if (magnitude >= kInfinity) return sign | 0x7c00;
  constexpr uint32_t kLeastNormal = 0x38800000;  // 2^-14
  if (magnitude < kLeastNormal) {
    // Adding 1/2 makes the last bit 2^-24, as it is here, and rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
  }
  const uint32_t odd = (magnitude >> 13) & 1;
  const uint32_t rounded = magnitude + 0xfff + odd - 0x38000000;
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

}  // namespace firth

#endif  // FIRTH_BASE_FLOAT16_H_
