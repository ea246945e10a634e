// A classifier with some of its features.

#ifndef FIRTH_CLASSIFY_KEEP_FEATURES_H_
#define FIRTH_CLASSIFY_KEEP_FEATURES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"

namespace firth {

// Bytes of a file that a row takes besides its text.
struct RowCost {
  uint64_t row = 0;
  // Codebooks grow by a centroid for each row until they are full.
  uint64_t centroid = 0;
};

// The first rows of `ranked` that together take at most `bytes`, with the rows
// that word n-grams consist of; in rising order.
std::vector<uint32_t> ChooseRows(const FeatureIndex& features,
                                 absl::Span<const uint32_t> ranked,
                                 const RowCost& cost, uint64_t bytes);

// The features of these rows, which rise and lack no part of a word n-gram.
absl::StatusOr<FeatureIndex> KeepFeatures(const FeatureIndex& features,
                                          absl::Span<const uint32_t> rows);

// These rows of a table, as floats. Errors: ResourceExhausted.
absl::StatusOr<FloatTable> KeepRows(const RowStore& table,
                                    absl::Span<const uint32_t> rows);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_KEEP_FEATURES_H_
