// The contextualizer's states of texts, as a classifier reads them. For each
// layer, the states are averaged over a text's tokens and scaled so that, over
// the training texts, each value has mean 0 and the squares of all values have
// a mean sum of 1.

#ifndef FIRTH_CLASSIFY_MODEL_TEXT_CONTEXT_H_
#define FIRTH_CLASSIFY_MODEL_TEXT_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/node_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "classify/features/feature_index.h"
#include "classify/model/classifier_model.h"
#include "firth/contextualizer.h"
#include "firth/labelled_text.h"
#include "firth/progress.h"
#include "lm/learn/context_tuner.h"

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

// Texts, and where their contexts are stored: [texts, context dim].
struct TunedTexts {
  absl::Span<const LabelledText> texts;
  Matrix<float>& context;
};

// The contexts from a contextualizer that training tunes. Those of a step's
// texts are computed again for the step, with dropout, and those of texts to be
// scored before scoring. They are written where the rest of training reads
// them, so that steps and scores do not depend on tuning. A text without tokens
// keeps its initial context, which no weight affects.
class TunedContext {
 public:
  // Borrows all arguments. The model must have the scales of contexts.
  TunedContext(const ClassifierModel& model, const TunedTexts& train,
               const TunedTexts& valid, const Hooks& hooks,
               Contextualizer& contextualizer);

  ContextTuner& tuner() { return tuner_; }
  uint64_t num_parameters() const;  // number of tuned parameters
  size_t dim() const { return train_.context.cols(); }

  // Resets all weights to their initial values.
  void Restart();
  // Computes the contexts of these training texts, with dropout seeded by
  // `key`.
  void Forward(absl::Span<const size_t> texts, uint64_t key);
  // Takes the gradients of the loss with respect to these contexts, [texts,
  // dim], after Forward(). Updates the weights by the mean over the texts, at
  // `factor` times their learning rate. Returns the norm of their gradients; if
  // it is not finite, the weights do not change.
  double Step(const Matrix<float>& d_contexts, double factor);

  // Compute the contexts as at prediction, without dropout. Errors: Cancelled.
  absl::Status ReadTrain(absl::Span<const uint32_t> texts) {
    return Read(train_, texts);
  }
  absl::Status ReadValid();
  // After this, reading is no longer cancelled.
  void IgnoreStop() { hooks_.stop = nullptr; }

  // Returns the contextualizer as a file without a name.
  absl::StatusOr<MappedFilePtr> File() {
    return tuner_.File("the tuned contextualizer");
  }

 private:
  absl::Status Read(const TunedTexts& from, absl::Span<const uint32_t> texts);

  const ClassifierModel& model_;
  const TunedTexts train_;
  const TunedTexts valid_;
  Hooks hooks_;
  Contextualizer& contextualizer_;
  ContextTuner tuner_;
  std::vector<Matrix<float>> start_;        // initial weights
  absl::node_hash_set<std::string> words_;  // of all texts, for the tuner
  // These members describe the texts with tokens in the current step.
  std::vector<size_t> places_;  // indexes in the step
  std::vector<size_t> lengths_;
  std::vector<Matrix<float>> layers_;
  std::vector<Matrix<float>> d_layers_;
  Matrix<float> means_;
  Matrix<float> d_means_;
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_TEXT_CONTEXT_H_
