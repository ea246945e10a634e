// Eigenvalues and eigenvectors of a symmetric matrix, and the orthogonal matrix
// nearest to a square matrix.

#ifndef FIRTH_SIMD_DECOMPOSITIONS_H_
#define FIRTH_SIMD_DECOMPOSITIONS_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firth {

struct SymmetricEigen {
  std::vector<double> values;  // [dim], the largest first.
  // [dim, dim], one orthonormal vector per row, oriented so that the entry of
  // largest magnitude is positive.
  std::vector<double> vectors;
};

// Decomposes a = sum_k value_k vector_k vector_k^T, [dim, dim]. Runs on this
// thread, with four such matrices in memory. The same matrix gives the same
// bits on one machine. Errors: InvalidArgument, an entry is not finite;
// ResourceExhausted, more than 32,000 dimensions; Internal, the iteration does
// not converge. Throws std::bad_alloc.
absl::StatusOr<SymmetricEigen> DecomposeSymmetric(std::vector<double> a,
                                                  size_t dim);

// Return the errors of DecomposeSymmetric() that can be found before the work.
absl::Status CheckSymmetricDim(size_t dim);
absl::Status CheckSymmetric(const std::vector<double>& a, size_t dim);

// Negates the vector if its entry of largest magnitude is negative.
void OrientEigenvector(absl::Span<double> vector);

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

// Returns the orthogonal matrix nearest to `a`: U V^T, where a = U S V^T is the
// singular value decomposition; both are [dim, dim], row by row. `a` must be
// finite. If singular values are 0, returns one of the nearest matrices. Runs
// on this thread, with eight such matrices in memory. The same matrix gives the
// same bits on one machine. Errors: ResourceExhausted, more than 23,000
// dimensions; Internal, the iteration does not converge. Throws std::bad_alloc.
absl::StatusOr<std::vector<double>> NearestOrthogonal(std::vector<double> a,
                                                      size_t dim);

}  // namespace firth

#endif  // FIRTH_SIMD_DECOMPOSITIONS_H_
