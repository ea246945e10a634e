#include "query/unit_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace firth {

float InverseNorm(absl::Span<const float> row) {
  double sums[4] = {};  // four chains of additions, not one
  for (size_t i = 0; i < row.size(); ++i) {
    sums[i % 4] += double{row[i]} * row[i];
  }
  const double norm = std::sqrt(sums[0] + sums[1] + sums[2] + sums[3]);
  const bool normal = norm >= std::numeric_limits<float>::min() &&
                      norm <= std::numeric_limits<float>::max();
  return normal ? static_cast<float>(1 / norm) : 0;
}

std::vector<float> InverseNorms(const FloatTable& table, size_t num_rows) {
  std::vector<float> inverse_norms(num_rows);
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < num_rows; ++row) {
    inverse_norms[row] = InverseNorm(table.Row(row));
  }
  return inverse_norms;
}

void MakeUnit(absl::Span<const float> row, float* unit) {
  const float inverse_norm = InverseNorm(row);
  for (size_t i = 0; i < row.size(); ++i) {
    unit[i] = inverse_norm == 0 ? 0 : row[i] * inverse_norm;
  }
}

std::vector<float> UnitVector(absl::Span<const float> row) {
  std::vector<float> unit(row.size());
  MakeUnit(row, unit.data());
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
