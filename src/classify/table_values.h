// What is asked of the values of a classifier that a file holds.

#ifndef FIRTH_CLASSIFY_TABLE_VALUES_H_
#define FIRTH_CLASSIFY_TABLE_VALUES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/row_store.h"

namespace firth {

// Far from what is ever learnt, and so far from the greatest float that no
// score, a product of some such values and codes, is infinite.
inline constexpr float kMostTableValue = 1e6f;

// Errors: DataLoss, "PLACE, value N: expected ..., found ..." with the first
// value that is beyond, or NaN.
absl::Status CheckValues(absl::Span<const float> values,
                         absl::string_view place);
// Also of scales, codebooks and norms.
absl::Status CheckValues(const RowStore& rows, absl::string_view place);

// Whether the labels can have a tree (HuffmanTree). Its paths are then never
// longer than some hundred steps. Errors: DataLoss with the path of the file.
absl::Status CheckTreeCounts(absl::Span<const uint64_t> label_counts,
                             absl::string_view path);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TABLE_VALUES_H_
