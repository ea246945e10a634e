// Measures a classifier on texts whose labels it may lack.

#ifndef FIRTH_CLASSIFY_SCORE_LABELS_H_
#define FIRTH_CLASSIFY_SCORE_LABELS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/label_scores.h"

namespace firth {

// Does the same as ScoreLabels(), even if the classifier has none of the labels
// of the texts, as may happen with a small fold of a cross-validation. `prefix`
// is put before the labels of the texts.
absl::StatusOr<LabelScores> ScoreAnyLabels(const Classifier& classifier,
                                           absl::Span<const LabelledText> texts,
                                           const PredictOptions& options,
                                           const Hooks& hooks,
                                           absl::string_view prefix = {});

}  // namespace firth

#endif  // FIRTH_CLASSIFY_SCORE_LABELS_H_
