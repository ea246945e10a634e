// Eigenvalues and eigenvectors of a symmetric matrix.

#ifndef FIRTH_SIMD_SYMMETRIC_EIGEN_H_
#define FIRTH_SIMD_SYMMETRIC_EIGEN_H_

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

}  // namespace firth

#endif  // FIRTH_SIMD_SYMMETRIC_EIGEN_H_
