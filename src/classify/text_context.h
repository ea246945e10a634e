// The states that a contextualizer has of texts, as a classifier reads them: of
// each layer the mean over a text's tokens, scaled so that over the training
// texts each value has a mean of 0 and the squares of all a mean sum of 1.

#ifndef FIRTH_SRC_CLASSIFY_TEXT_CONTEXT_H_
#define FIRTH_SRC_CLASSIFY_TEXT_CONTEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/matrix.h"
#include "classify/classifier_model.h"
#include "classify/feature_index.h"
#include "firth/contextualizer.h"
#include "firth/progress.h"

namespace firth {

// What a contextualizer reads of a text: its tokens and, where it reads pairs
// and there is a tab, the word that parts two sentences.
std::vector<std::string> ContextWordsOf(absl::string_view text,
                                        const FeatureOptions& options,
                                        bool pairs);

// The means of the states of all layers over the tokens of each text: [texts,
// layers * dim]; zeros without tokens. Errors: those of
// Contextualizer::Embed().
absl::Status ReadContext(absl::Span<const absl::string_view> texts,
                         const FeatureOptions& options, int threads,
                         const Hooks& hooks, Contextualizer* contextualizer,
                         Matrix<float>* context);

// Sets what the states of the training texts are scaled by.
void FitContextScale(const Matrix<float>& context, ClassifierModel* model);
// Scales a text's states.
void ScaleContext(const ClassifierModel& model, float* context);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TEXT_CONTEXT_H_
