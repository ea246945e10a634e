// Dot products of rows that were rounded to bytes.
//
// A row of bytes is read four times as fast as one of floats. The query of a
// scan keeps 16 bits, so only the rows are coarse.

#ifndef FIRTH_SIMD_DOT_INT8_H_
#define FIRTH_SIMD_DOT_INT8_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// Rows of bytes are padded with zeros to a multiple of this.
constexpr size_t kInt8RowBytes = 16;

// Sets products[r] to the sum of query[i] * rows[r * stride + i] over i <
// stride, a multiple of kInt8RowBytes. The caller must ensure that the sum of
// |query[i]| * 127 is below 2^31, and that no query value is -2^15 and no byte
// -128.
void DotInt8Rows(const int16_t* query, const int8_t* rows, size_t num_rows,
                 size_t stride, int32_t* products);

// Returns the sum of a[i] * b[i] under the same conditions. `size` must be at
// most 2^17 (checked).
int32_t DotInt8(const int8_t* a, const int8_t* b, size_t size);

}  // namespace firth

#endif  // FIRTH_SIMD_DOT_INT8_H_
