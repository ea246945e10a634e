// The contextualizer's states of texts, as a classifier reads them. For each
// layer, the states are averaged over a text's tokens and scaled so that, over
// the training texts, each value has mean 0 and the squares of all values have
// a mean sum of 1.

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

// Returns the words that a contextualizer reads: the tokens of the text and, if
// it reads pairs and there is a tab, the word that separates two sentences.
std::vector<std::string> ContextWordsOf(absl::string_view text,
                                        const FeatureOptions& options,
                                        bool pairs);

// Computes the means of the states of all layers over the tokens of each text:
// [texts, layers * dim], or zeros for a text without tokens. Errors: those of
// Contextualizer::Embed().
absl::Status ReadContext(absl::Span<const absl::string_view> texts,
                         const FeatureOptions& options, int threads,
                         const Hooks& hooks, Contextualizer* contextualizer,
                         Matrix<float>* context);

// Sets the model's scales for states to those of the training texts.
void FitContextScale(const Matrix<float>& context, ClassifierModel* model);
// Scales the states of one text.
void ScaleContext(const ClassifierModel& model, float* context);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TEXT_CONTEXT_H_
