// The largest eigenvalues of a large symmetric matrix.

#ifndef FIRTH_SIMD_LARGEST_EIGEN_H_
#define FIRTH_SIMD_LARGEST_EIGEN_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "simd/symmetric_eigen.h"

namespace firth {

// Returns the `count` largest eigenvalues of a positive semidefinite matrix
// [dim, dim] and their eigenvectors [count, dim], in the order and orientation
// of DecomposeSymmetric(). The time is proportional to count * dim^2 instead of
// dim^3. Uses all cores; the result is the same, bit for bit, for any number.
// Eigenvectors of eigenvalues that hardly differ may be mixed. `count` must be
// at most dim / 64. Errors: InvalidArgument, an entry is not finite; Cancelled
// by *stop, which may be null, within about a second.
absl::StatusOr<SymmetricEigen> LargestEigen(const std::vector<double>& a,
                                            size_t dim, size_t count,
                                            const std::atomic<bool>* stop);

}  // namespace firth

#endif  // FIRTH_SIMD_LARGEST_EIGEN_H_
