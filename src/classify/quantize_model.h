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

#ifndef FIRTH_CLASSIFY_QUANTIZE_MODEL_H_
#define FIRTH_CLASSIFY_QUANTIZE_MODEL_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "firth/classifier.h"
#include "firth/progress.h"

namespace firth {

// Errors: those of QuantizeClassifier().
absl::StatusOr<ClassifierModel> QuantizeModel(
    const ClassifierModel& model, absl::Span<const LabelledText> texts,
    const QuantizeClassifierOptions& options, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_QUANTIZE_MODEL_H_
