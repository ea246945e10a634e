// Dot products of rows as stored in files, with any length and alignment.
//
// These kernels are for queries. They select their instructions at the first
// call (Highway). Training, whose rows are padded and aligned, has its own
// kernels.

#ifndef FIRTH_SIMD_DOT_H_
#define FIRTH_SIMD_DOT_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// Sets scores[r] to the sum of query[i] * rows[r * stride + i] over i < dim,
// for r < num_rows, with the same bits for any num_rows. Each call dispatches
// once, so pass many rows.
void DotRows(const float* query, const float* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);
// Do the same for rows of IEEE 754 binary16 numbers, and for rows of bytes.
void DotRows(const float* query, const uint16_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);
void DotRows(const float* query, const int8_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores);

}  // namespace firth

#endif  // FIRTH_SIMD_DOT_H_
