// Converts rows of small numbers to rows of floats.

#ifndef FIRTH_SIMD_WIDEN_H_
#define FIRTH_SIMD_WIDEN_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// Sets to[i] to the IEEE 754 binary16 number with the bits from[i], for i < n.
void WidenFloat16(const uint16_t* from, size_t n, float* to);

// Sets to[i] = from[i] * scale.
void WidenInt8(const int8_t* from, float scale, size_t n, float* to);

}  // namespace firth

#endif  // FIRTH_SIMD_WIDEN_H_
