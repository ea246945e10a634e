// Rows of floats as rows of bfloat16, the upper half of a float's bits, so that
// half as much is sent. Two stand in the place of one float, since that is what
// ranks exchange.

#ifndef FIRTH_TRAIN_REPLICAS_NARROW_ROWS_H_
#define FIRTH_TRAIN_REPLICAS_NARROW_ROWS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace firth {

// The nearest bfloat16, of two as near the even one.
inline float RoundToBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(rounded & 0xffff0000);
}

// Floats that a row of `cols` bfloat16 takes.
constexpr size_t NarrowCols(size_t cols) { return (cols + 1) / 2; }

// Makes *to the rows of bfloat16, [rows, NarrowCols(cols)]. rows: [rows, cols],
// of values that are bfloat16 already.
void NarrowRows(absl::Span<const float> rows, size_t cols,
                std::vector<float>* to);

// The way back.
void WidenRows(absl::Span<const float> narrow, size_t cols,
               std::vector<float>* to);

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_NARROW_ROWS_H_
