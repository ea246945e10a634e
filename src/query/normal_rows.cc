#include "query/normal_rows.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/matrix.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

bool IsZero(absl::Span<const float> row) {
  return std::all_of(row.begin(), row.end(),
                     [](float value) { return value == 0; });
}

}  // namespace

WordVectors WithNormalRows(WordVectors vectors) {
  if (!vectors.is_float()) return vectors;
  const FloatTable& table = vectors.table();
  std::vector<size_t> scaled;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (vectors.inverse_norms()[row] == 0 && !IsZero(table.Row(row))) {
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
  // This cannot fail, as no shape has changed.
  return *WordVectors::Create(
      vectors.vocabulary(), std::move(rows),
      subwords == nullptr ? std::nullopt : std::optional(*subwords));
}

}  // namespace firth
