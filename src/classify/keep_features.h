// Selects some of the features of a classifier.

#ifndef FIRTH_CLASSIFY_KEEP_FEATURES_H_
#define FIRTH_CLASSIFY_KEEP_FEATURES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"

namespace firth {

// Returns all rows, those first that affect the scores of these texts most. The
// measure is the sum over the texts of the squares of a feature's contributions
// to all scores, minus their mean with a softmax. Without texts, each feature
// counts as if it occurred once in one text.
std::vector<uint32_t> RankFeatures(const ClassifierModel& model,
                                   absl::Span<const absl::string_view> texts);

// Bytes of a file that a row takes in addition to its text.
struct RowCost {
  uint64_t row = 0;
  // Codebooks grow by one centroid per row until they are full.
  uint64_t centroid = 0;
};

// Returns the first rows of `ranked` that together take at most `bytes`, with
// the rows of which word n-grams consist, in ascending order.
std::vector<uint32_t> ChooseRows(const FeatureIndex& features,
                                 absl::Span<const uint32_t> ranked,
                                 const RowCost& cost, uint64_t bytes);

// Returns the features of these rows, which must be ascending and include all
// parts of each word n-gram.
absl::StatusOr<FeatureIndex> KeepFeatures(const FeatureIndex& features,
                                          absl::Span<const uint32_t> rows);

// Returns these rows of a table, as floats. Errors: ResourceExhausted.
absl::StatusOr<FloatTable> KeepRows(const RowStore& table,
                                    absl::Span<const uint32_t> rows);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_KEEP_FEATURES_H_
