// Gram-Schmidt orthogonalization of random vectors, done twice for each, which
// leaves only rounding errors (Giraud et al., "Rounding error analysis of the
// classical Gram-Schmidt orthogonalization process", 2005).

#include "nn/orthogonal.h"

#include <algorithm>
#include <cmath>

#include "nn/elementwise.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
void FillOrthogonal(uint64_t key, View<T> values) {
  const size_t count = std::min(values.rows(), values.cols());
  const size_t size = std::max(values.rows(), values.cols());
  Matrix<double> vectors(count, size);
  FillNormal(1, key, vectors);
  for (size_t i = 0; i < count; ++i) {
    double* const vector = vectors.Row(i);
    for (size_t pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double* const other = vectors.Row(j);
        AddScaled(size, -DotProduct(size, vector, other), other, vector);
      }
    }
    const double length = std::sqrt(DotProduct(size, vector, vector));
    for (size_t c = 0; c < size; ++c) {
      const auto value = static_cast<T>(vector[c] /= length);
      (count == values.rows() ? values.Row(i)[c] : values.Row(c)[i]) = value;
    }
  }
}

template void FillOrthogonal(uint64_t, View<float>);
#ifdef FIRTH_DOUBLES
template void FillOrthogonal(uint64_t, View<double>);
#endif

}  // namespace firth::nn
