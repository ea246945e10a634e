// Rotations for tests, and tables that they turn.

#ifndef FIRTH_TESTS_SUPPORT_ROTATIONS_H_
#define FIRTH_TESTS_SUPPORT_ROTATIONS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "support/reference.h"
#include "support/tiny_vectors.h"

namespace firth {

// An orthogonal [dim, dim] matrix: the product of some mirrors I - 2 v v^T for
// unit vectors v, which are orthogonal.
inline std::vector<float> RandomRotation(size_t dim, uint64_t seed) {
  std::vector<double> matrix(dim * dim);
  for (size_t i = 0; i < dim; ++i) matrix[i * dim + i] = 1;
  for (size_t mirror = 0; mirror < dim; ++mirror) {
    const std::vector<float> v = RandomFloats(dim, seed + mirror);
    const double norm = reference::Dot(v, v);
    for (size_t col = 0; col < dim; ++col) {
      double product = 0;
      for (size_t i = 0; i < dim; ++i) product += v[i] * matrix[i * dim + col];
      for (size_t i = 0; i < dim; ++i) {
        matrix[i * dim + col] -= 2 * product / norm * v[i];
      }
    }
  }
  return {matrix.begin(), matrix.end()};
}

inline std::vector<float> Rotate(absl::Span<const float> matrix,
                                 absl::Span<const float> x) {
  std::vector<float> y;
  for (size_t i = 0; i < x.size(); ++i) {
    y.push_back(static_cast<float>(
        reference::Dot(matrix.subspan(i * x.size(), x.size()), x)));
  }
  return y;
}

// The greatest |W W^T - I|.
inline double FarFromOrthogonal(absl::Span<const float> matrix, size_t dim) {
  double most = 0;
  for (size_t i = 0; i < dim; ++i) {
    for (size_t j = 0; j < dim; ++j) {
      const double product = reference::Dot(matrix.subspan(i * dim, dim),
                                            matrix.subspan(j * dim, dim));
      most = std::max(most, std::abs(product - (i == j ? 1 : 0)));
    }
  }
  return most;
}

// The greatest |a - b| of two matrices.
inline double FarApart(absl::Span<const float> a, absl::Span<const float> b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(double{a[i]} - b[i]));
  }
  return most;
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_ROTATIONS_H_
