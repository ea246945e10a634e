#include "query/unit_rows.h"

#include <algorithm>
#include <cstddef>

#include "vectors/inverse_norms.h"

namespace firth {

std::vector<float> UnitVector(absl::Span<const float> row) {
  const float inverse_norm = InverseNorm(row);
  std::vector<float> unit(row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    unit[i] = inverse_norm == 0 ? 0 : row[i] * inverse_norm;
  }
  return unit;
}

void ScaleToCosines(const float* inverse_norms, size_t n, float* dots) {
  for (size_t i = 0; i < n; ++i) {
    const float cosine = std::clamp(dots[i] * inverse_norms[i], -1.f, 1.f);
    dots[i] = inverse_norms[i] == 0 ? 0 : cosine;
  }
}

void ShiftCosines(size_t n, float* cosines) {
  for (size_t i = 0; i < n; ++i) cosines[i] = (1 + cosines[i]) / 2;
}

}  // namespace firth
