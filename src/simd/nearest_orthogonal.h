// The orthogonal matrix nearest to a square matrix.

#ifndef FIRTH_SIMD_NEAREST_ORTHOGONAL_H_
#define FIRTH_SIMD_NEAREST_ORTHOGONAL_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// Returns U V^T, where a = U S V^T is the singular value decomposition; both
// are [dim, dim], row by row. `a` must be finite. If singular values are 0,
// returns one of the nearest matrices. Runs on this thread, with eight such
// matrices in memory. The same matrix gives the same bits on one machine.
// Errors: ResourceExhausted, more than 23,000 dimensions; Internal, the
// iteration does not converge. Throws std::bad_alloc.
absl::StatusOr<std::vector<double>> NearestOrthogonal(std::vector<double> a,
                                                      size_t dim);

}  // namespace firth

#endif  // FIRTH_SIMD_NEAREST_ORTHOGONAL_H_
