// Dot products of rows as files hold them: any length, any alignment.
//
// Kernels for queries. They choose their instructions at the first call
// (Highway); training, whose rows are padded and aligned, has its own.

#ifndef FIRTH_SIMD_DOT_H_
#define FIRTH_SIMD_DOT_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// scores[r] = the sum of query[i] * rows[r * stride + i] over i < dim, for
// r < num_rows, to the same bits whatever num_rows is. One dispatch a call:
// give it a run of rows.
void DotRows(const float* query, const float* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);
// The same for rows of IEEE 754 binary16 numbers, and for rows of bytes.
void DotRows(const float* query, const uint16_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);
void DotRows(const float* query, const int8_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);

}  // namespace firth

#endif  // FIRTH_SIMD_DOT_H_
