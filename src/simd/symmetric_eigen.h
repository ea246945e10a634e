// Eigenvalues and eigenvectors of a symmetric matrix.

#ifndef FIRTH_SIMD_SYMMETRIC_EIGEN_H_
#define FIRTH_SIMD_SYMMETRIC_EIGEN_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firth {

struct SymmetricEigen {
  std::vector<double> values;  // [dim], the greatest first
  // [dim, dim], a row each, orthonormal; of the two directions the one in which
  // the entry of greatest magnitude is positive.
  std::vector<double> vectors;
};

// Of a = sum_k value_k vector_k vector_k^T, [dim, dim]. Works on this thread,
// with four such matrices at a time; the same matrix gives the same bits on one
// machine. Errors: InvalidArgument, an entry is not finite; ResourceExhausted,
// more than 32,000 dimensions; Internal, the iteration does not end. Throws
// std::bad_alloc.
absl::StatusOr<SymmetricEigen> DecomposeSymmetric(std::vector<double> a,
                                                  size_t dim);

// Return the errors of DecomposeSymmetric() that can be found before the work.
absl::Status CheckSymmetricDim(size_t dim);
absl::Status CheckSymmetric(const std::vector<double>& a, size_t dim);

// Turns the vector round if its entry of greatest magnitude is negative.
void OrientEigenvector(absl::Span<double> vector);

}  // namespace firth

#endif  // FIRTH_SIMD_SYMMETRIC_EIGEN_H_
