// Fits the output of a smaller classifier to the original.

#ifndef FIRTH_SRC_CLASSIFY_FIT_SCORES_H_
#define FIRTH_SRC_CLASSIFY_FIT_SCORES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "firth/progress.h"

namespace firth {

// Sets output and bias of the small model so that texts have about the same
// scores as with the whole model. Errors: Cancelled.
absl::Status FitScores(const ClassifierModel& whole,
                       absl::Span<const absl::string_view> texts,
                       const Hooks& hooks, ClassifierModel* small);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_FIT_SCORES_H_
