#include "query/unit_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "simd/squared_norms.h"
#include "vectors/inverse_norms.h"

namespace firth {

namespace {

// Of values that are so large or so small that no float has their norm, or its
// inverse: doubles have both.
void DivideByNorm(absl::Span<const float> row, std::vector<float>* unit) {
  double squared_norm;
  SquaredNorms(row.data(), 1, row.size(), row.size(), &squared_norm);
  if (squared_norm == 0 || !std::isfinite(squared_norm)) return;
  const double norm = std::sqrt(squared_norm);
  for (size_t i = 0; i < row.size(); ++i) {
    (*unit)[i] = static_cast<float>(row[i] / norm);
  }
}

}  // namespace

std::vector<float> UnitVector(absl::Span<const float> row) {
  const float inverse_norm = InverseNorm(row);
  std::vector<float> unit(row.size());
  if (inverse_norm == 0) {
    DivideByNorm(row, &unit);
    return unit;
  }
  for (size_t i = 0; i < row.size(); ++i) unit[i] = row[i] * inverse_norm;
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
