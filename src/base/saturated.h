// Arithmetic that does not wrap, for sizes that a file claims.

#ifndef FIRTH_BASE_SATURATED_H_
#define FIRTH_BASE_SATURATED_H_

#include <cstdint>

namespace firth {

// Return a * b and a + b, or 2^64 - 1 on overflow, which is larger than any
// file.
inline uint64_t MultiplySaturated(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
inline uint64_t AddSaturated(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

}  // namespace firth

#endif  // FIRTH_BASE_SATURATED_H_
