// A classifier made smaller.
//
// Features are ranked by the energy that they bring to the scores of texts,
//
//   sum over texts of |x_f (wide[f] - mean)|^2 + |(t_f / sum t) input[f]|^2
//
// with the scales of the parts, mean the mean over labels under softmax, and
// input[f] as the output table sees it; without texts each feature counts once.
// The first ones are kept that fit, with the n-grams that theirs consist of.
// The tables' rows are then product-quantized, and last the rows of the output
// table and the bias are fitted by least squares so that the texts get the
// scores again that they had before: so what is left out and rounded is
// made good as far as can be, and calibration stays.

#ifndef FIRTH_CLASSIFY_QUANTIZE_MODEL_H_
#define FIRTH_CLASSIFY_QUANTIZE_MODEL_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "firth/classifier.h"
#include "firth/progress.h"

namespace firth {

// The errors of QuantizeClassifier().
absl::StatusOr<ClassifierModel> QuantizeModel(
    const ClassifierModel& model, absl::Span<const LabelledText> texts,
    const QuantizeClassifierOptions& options, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_QUANTIZE_MODEL_H_
