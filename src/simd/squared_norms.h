// Squared lengths of rows as stored in files, with any length and alignment.

#ifndef FIRTH_SIMD_SQUARED_NORMS_H_
#define FIRTH_SIMD_SQUARED_NORMS_H_

#include <cstddef>

namespace firth {

// Sets squared_norms[r] to the sum of the squares of the `dim` floats from rows
// + r * stride on, for r < num_rows. Squared and summed in double: finite
// floats do not overflow, and the sum is finite only if all values are. The
// bits are the same for any num_rows.
void SquaredNorms(const float* rows, size_t num_rows, size_t stride, size_t dim,
                  double* squared_norms);

}  // namespace firth

#endif  // FIRTH_SIMD_SQUARED_NORMS_H_
