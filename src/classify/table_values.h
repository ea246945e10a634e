// Checks of the values of a classifier read from a file.

#ifndef FIRTH_CLASSIFY_TABLE_VALUES_H_
#define FIRTH_CLASSIFY_TABLE_VALUES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/row_store.h"

namespace firth {

// Far above any trained value, and so far below the maximum float that no
// score, a product of a few such values and codes, is infinite.
inline constexpr float kMostTableValue = 1e6f;

// Checks the values. Errors: DataLoss, "PLACE, value N: expected ..., found
// ..." with the first value that exceeds the limit or is NaN.
absl::Status CheckValues(absl::Span<const float> values,
                         absl::string_view place);
// Also checks scales, codebooks and norms.
absl::Status CheckValues(const RowStore& rows, absl::string_view place);

// Checks that the labels can form a tree (HuffmanTree). Its paths then never
// have more than a few hundred steps. Errors: DataLoss, with the path of the
// file.
absl::Status CheckTreeCounts(absl::Span<const uint64_t> label_counts,
                             absl::string_view path);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TABLE_VALUES_H_
