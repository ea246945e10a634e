// ContextTuner: trains the weights of a contextualizer for a task, using the
// gradients with respect to its vectors. At the start, these gradients come
// from a task model that is not trained yet, and large steps would destroy
// pretrained weights. The rate of Adam therefore rises over the first tenth of
// all steps before it falls to 0 (Devlin et al. 2019, section A.2).

#ifndef FIRTH_LM_CONTEXT_TUNER_H_
#define FIRTH_LM_CONTEXT_TUNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/contextualizer.h"
#include "lm/chunk_words.h"
#include "lm/language_model.h"
#include "lm/sentence_batch.h"
#include "lm/text_words.h"
#include "lm/tuned_layers.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/learner.h"

namespace firth {

class SentenceWindows;  // lm/sentence_windows.h

class ContextTuner {
 public:
  using Sentence = Contextualizer::Sentence;

  // Borrows the contextualizer. `rate` is Adam's peak learning rate; `threads`
  // is as in EmbedOptions.
  ContextTuner(Contextualizer& contextualizer, double rate, int threads);

  // Returns all parameters except those that are used only to predict words.
  // The word table may be frozen.
  const nn::ParameterList<float>& parameters() const { return parameters_; }

  // Sets *vectors to the vectors of all tokens in each layer, [tokens, dim]
  // each, one sentence after another. They equal those of Embed(), except that
  // dropout is applied if a key is given. No sentence may be empty. The tokens
  // must stay valid from now on.
  void Forward(absl::Span<const Sentence> sentences, nn::DropoutKey key,
               std::vector<Matrix<float>>* vectors);
  // Adds to the gradients of the parameters. Must follow Forward().
  void Backward(absl::Span<const Matrix<float>> d_vectors) {
    layers_.Backward(batch_, d_vectors);
  }

  // Sets the total number of steps, which determines the learning rates.
  void SetTotalSteps(uint64_t steps);
  // Updates the parameters at `factor` times the rate, and clears their
  // gradients.
  void Step(double factor);
  void ClearGradients();
  // Resets the optimizer to its state before the first step.
  void ForgetSteps();
  uint64_t steps() const { return optimizer_.steps(); }
  void set_steps(uint64_t steps) { optimizer_.set_steps(steps); }

  // Append the tensors that checkpoints store, under names of their own: the
  // parameters, and the state of the optimizer.
  void AppendLearnt(std::vector<NamedTensor>* tensors);
  void AppendOthers(std::vector<NamedTensor>* tensors);

  // Must be called before Embed(), because the parameters may have changed
  // since its last call.
  void ParametersStay() { model_.layers().ParametersStay(); }

  // Returns the model as a file without a name. `path` is used in messages.
  absl::StatusOr<MappedFilePtr> File(const std::string& path);

 private:
  // Sets batch_.rows and batch_.first, the rows of the vectors of all tokens.
  // `first` has the first piece of each token (see CutSentences).
  void FindTokens(const SentenceWindows& windows,
                  absl::Span<const std::vector<size_t>> first);

  BiLanguageModel& model_;
  TextWords text_words_;
  ChunkWords words_;
  TunedLayers<float> layers_;
  nn::ParameterList<float> parameters_;
  nn::Optimizer<float> optimizer_;
  nn::Schedule rate_;
  SentenceChunk chunk_;
  TunedBatch batch_;
};

// Returns the model of a contextualizer.
BiLanguageModel& ModelOf(Contextualizer& contextualizer);

}  // namespace firth

#endif  // FIRTH_LM_CONTEXT_TUNER_H_
