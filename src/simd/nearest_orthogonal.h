// The orthogonal matrix that is nearest to a square one.

#ifndef FIRTH_SIMD_NEAREST_ORTHOGONAL_H_
#define FIRTH_SIMD_NEAREST_ORTHOGONAL_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// U V^T, where a = U S V^T is the singular value decomposition; both
// [dim, dim], row by row. `a` is finite. Where singular values are 0, one of
// those that are as near. Works on this thread, with eight such matrices at a
// time; the same matrix gives the same bits on one machine. Errors:
// ResourceExhausted, more than 23,000 dimensions; Internal, the iteration does
// not end. Throws std::bad_alloc.
absl::StatusOr<std::vector<double>> NearestOrthogonal(std::vector<double> a,
                                                      size_t dim);

}  // namespace firth

#endif  // FIRTH_SIMD_NEAREST_ORTHOGONAL_H_
