#include "classify/table_values.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

// Returns whether a value is allowed; false for NaN.
bool IsModerate(float value) { return std::abs(value) <= kMostTableValue; }

absl::Status CheckForm(const FloatTable& table, absl::string_view place) {
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> values = table.Row(row);
    if (std::all_of(values.begin(), values.end(), IsModerate)) continue;
    return CheckValues(values, absl::StrCat(place, ", row ", row));
  }
  return absl::OkStatus();
}

absl::Status CheckForm(const Float16Rows& /*rows*/, absl::string_view place) {
  return absl::DataLossError(
      absl::StrCat(place, ": expected float32, int8 or pq, found float16"));
}

absl::Status CheckForm(const Int8Rows& rows, absl::string_view place) {
  return CheckForm(rows.scales, absl::StrCat(place, ", scales"));
}

absl::Status CheckForm(const PqRows& rows, absl::string_view place) {
  FIRTH_RETURN_IF_ERROR(CheckForm(rows.quantizer->codebooks(),
                                  absl::StrCat(place, ", codebooks")));
  return CheckForm(rows.norms, absl::StrCat(place, ", norms"));
}

}  // namespace

absl::Status CheckValues(absl::Span<const float> values,
                         absl::string_view place) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsModerate(values[i])) continue;
    return absl::DataLossError(absl::StrCat(
        place, ", value ", i, ": expected a number from ", -kMostTableValue,
        " to ", kMostTableValue, ", found ", values[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const RowStore& rows, absl::string_view place) {
  return std::visit(
      [place](const auto& form) { return CheckForm(form, place); }, rows);
}

absl::Status CheckTreeCounts(absl::Span<const uint64_t> label_counts,
                             absl::string_view path) {
  if (label_counts.size() >= 2 && label_counts.back() > 0 &&
      std::is_sorted(label_counts.begin(), label_counts.end(),
                     std::greater<>())) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat(path,
                   ": a tree of labels needs at least 2 labels with counts of "
                   "1 or more in descending order"));
}

}  // namespace firth
