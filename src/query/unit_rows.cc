#include "query/unit_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/matrix.h"
#include "simd/stored_rows.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// Divides values that are so large or so small that no float can represent
// their norm or its inverse. Doubles can represent both.
void DivideByNorm(absl::Span<const float> row, std::vector<float>* unit) {
  double squared_norm;
  SquaredNorms(row.data(), 1, row.size(), row.size(), &squared_norm);
  if (squared_norm == 0 || !std::isfinite(squared_norm)) return;
  const double norm = std::sqrt(squared_norm);
  for (size_t i = 0; i < row.size(); ++i) {
    (*unit)[i] = static_cast<float>(row[i] / norm);
  }
}

bool IsZero(absl::Span<const float> row) {
  return std::all_of(row.begin(), row.end(),
                     [](float value) { return value == 0; });
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

WordVectors WithNormalRows(WordVectors vectors) {
  if (!vectors.is_float()) return vectors;
  const FloatTable& table = vectors.table();
  const absl::Span<const float> inverse_norms = vectors.inverse_norms();
  std::vector<size_t> scaled;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (inverse_norms[row] == 0 && !IsZero(table.Row(row))) {
      scaled.push_back(row);
    }
  }
  if (scaled.empty()) return vectors;
  PaddedMatrix rows(table.rows(), table.cols());
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    std::copy(from.begin(), from.end(), rows.Row(row));
  }
  for (const size_t row : scaled) {
    const std::vector<float> unit = UnitVector(table.Row(row));
    std::copy(unit.begin(), unit.end(), rows.Row(row));
  }
  const SubwordTables* subwords = vectors.subwords();
  // This cannot fail because no shape has changed.
  return *WordVectors::Create(
      vectors.vocabulary(), std::move(rows),
      subwords == nullptr ? std::nullopt : std::optional(*subwords));
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
