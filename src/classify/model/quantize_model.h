// Makes a classifier smaller.
//
// Features are ranked by the energy that they contribute to the scores of
// texts,
//
//   sum over texts of |x_f (wide[f] - mean)|^2 + |(t_f / sum t) input[f]|^2
//
// with the scales of the parts. `mean` is the mean over labels with a softmax,
// and the norm of input[f] is measured through the output table. Without texts,
// each feature counts once. The first features that fit are kept, with the
// n-grams of which they consist. The rows of the tables are then
// product-quantized. Finally, the rows of the output table and the bias are
// fitted by least squares, so that the texts have nearly the same scores as
// before. This makes up for omissions and rounding as far as possible, and
// keeps the calibration valid.

#ifndef FIRTH_CLASSIFY_MODEL_QUANTIZE_MODEL_H_
#define FIRTH_CLASSIFY_MODEL_QUANTIZE_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/model/classifier_model.h"
#include "firth/classifier.h"
#include "firth/progress.h"

namespace firth {

// Errors: those of QuantizeClassifier().
absl::StatusOr<ClassifierModel> QuantizeModel(
    const ClassifierModel& model, absl::Span<const LabelledText> texts,
    const QuantizeClassifierOptions& options, const Hooks& hooks);

// Returns all rows by their energy for these texts, the greatest first.
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

#endif  // FIRTH_CLASSIFY_MODEL_QUANTIZE_MODEL_H_
