// TunedContext: what a classifier reads of a contextualizer that its training
// moves. The contexts of a step's texts are made anew for the step, with
// dropout, and those of texts that are to be scored before they are.

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

// Texts, and where their contexts stand.
struct TunedTexts {
  absl::Span<const LabelledText> texts;
  ClassifierTexts& read;
};

class TunedContext {
 public:
  // Borrows all. The model has the scales of contexts.
  TunedContext(const ClassifierModel& model, const TunedTexts& train,
               const TunedTexts& valid, const Hooks& hooks,
               Contextualizer& contextualizer);

  ContextTuner& tuner() { return tuner_; }
  uint64_t num_parameters() const;  // that move
  size_t dim() const { return train_.read.context.cols(); }

  // Sets all weights to where they started.
  void Restart();
  // Makes the contexts of these training texts, with dropout by the key.
  void Forward(absl::Span<const size_t> texts, uint64_t key);
  // After Forward(), given the gradients of the loss by these contexts, [texts,
  // dim]: moves the weights by the mean over the texts, at `factor` times their
  // rate. Returns the norm of their gradients; where it is not finite, nothing
  // moves.
  double Step(const Matrix<float>& d_contexts, double factor);

  // Make the contexts as they are read by whoever asks the classifier. Errors:
  // Cancelled.
  absl::Status ReadTrain(absl::Span<const uint32_t> texts);
  absl::Status ReadValid();
  // At the end nothing cancels what is read.
  void IgnoreStop() { hooks_.stop = nullptr; }

  // The contextualizer as a file without a name.
  absl::StatusOr<MappedFilePtr> File();

 private:
  absl::Status Read(const TunedTexts& from, absl::Span<const uint32_t> texts);

  const ClassifierModel& model_;
  const TunedTexts train_;
  const TunedTexts valid_;
  Hooks hooks_;
  Contextualizer& contextualizer_;
  ContextTuner tuner_;
  std::vector<Matrix<float>> start_;        // of the weights
  absl::node_hash_set<std::string> words_;  // of all texts, for the tuner
  // The present step reads the texts that have tokens; of these:
  std::vector<size_t> places_;  // in the step
  std::vector<size_t> lengths_;
  std::vector<Matrix<float>> layers_;
  std::vector<Matrix<float>> d_layers_;
  Matrix<float> means_;
  Matrix<float> d_means_;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TUNED_CONTEXT_H_
