// TunedContext: the contexts that a classifier reads from a contextualizer that
// its training tunes. The contexts of a step's texts are computed again for the
// step, with dropout, and those of texts to be scored before scoring.

#ifndef FIRTH_SRC_CLASSIFY_TUNED_CONTEXT_H_
#define FIRTH_SRC_CLASSIFY_TUNED_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/node_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "classify/classifier_model.h"
#include "classify/classifier_task.h"
#include "firth/contextualizer.h"
#include "firth/labelled_text.h"
#include "firth/progress.h"
#include "lm/context_tuner.h"

namespace firth {

// Texts, and where their contexts are stored.
struct TunedTexts {
  absl::Span<const LabelledText> texts;
  ClassifierTexts& read;
};

class TunedContext {
 public:
  // Borrows all arguments. The model must have the scales of contexts.
  TunedContext(const ClassifierModel& model, const TunedTexts& train,
               const TunedTexts& valid, const Hooks& hooks,
               Contextualizer& contextualizer);

  ContextTuner& tuner() { return tuner_; }
  uint64_t num_parameters() const;  // number of tuned parameters
  size_t dim() const { return train_.read.context.cols(); }

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
  absl::Status ReadTrain(absl::Span<const uint32_t> texts);
  absl::Status ReadValid();
  // After this, reading is no longer cancelled.
  void IgnoreStop() { hooks_.stop = nullptr; }

  // Returns the contextualizer as a file without a name.
  absl::StatusOr<MappedFilePtr> File();

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

#endif  // FIRTH_SRC_CLASSIFY_TUNED_CONTEXT_H_
