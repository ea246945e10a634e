// Rows as stored in files, with any length and alignment: their dot products
// with queries, their lengths, their sums, and their conversion to floats.
//
// These kernels are for queries. They select their instructions at the first
// call (Highway). Training, whose rows are padded and aligned, has its own
// kernels.

#ifndef FIRTH_SIMD_STORED_ROWS_H_
#define FIRTH_SIMD_STORED_ROWS_H_

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

// Rows that are rounded to bytes are read four times as fast as floats. The
// query of a scan keeps 16 bits, so only the rows are coarse. They are padded
// with zeros to a multiple of this number.
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

// Sets squared_norms[r] to the sum of the squares of the `dim` floats from rows
// + r * stride on, for r < num_rows. Squared and summed in double: finite
// floats do not overflow, and the sum is finite only if all values are. The
// bits are the same for any num_rows.
void SquaredNorms(const float* rows, size_t num_rows, size_t stride, size_t dim,
                  double* squared_norms);

// Sets mean[i] to the sum of scales[r] * rows[r][i] over r < num_rows, in this
// order, times `factor`, for i < dim. `scales` may be null: all 1.
void SumRows(const float* const* rows, const float* scales, size_t num_rows,
             float factor, size_t dim, float* mean);

// Computes the scores of rows of codes (the "asymmetric distance computation"
// of Jegou, Douze and Schmid 2011): sets sums[r] to the sum of tables[p *
// entries + codes[r * parts + p]] over p < parts, for r < num_rows, with the
// same bits for any num_rows. Codes must be below `entries`.
void SumLookups(const float* tables, size_t entries, const uint8_t* codes,
                size_t num_rows, size_t parts, float* sums);

// Sets to[i] to the IEEE 754 binary16 number with the bits from[i], for i < n.
void WidenFloat16(const uint16_t* from, size_t n, float* to);

// Sets to[i] = from[i] * scale.
void WidenInt8(const int8_t* from, float scale, size_t n, float* to);

}  // namespace firth

#endif  // FIRTH_SIMD_STORED_ROWS_H_
