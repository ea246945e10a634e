// ContextTuner: a contextualizer whose weights a task moves, by the gradients
// that the task has by its vectors. Weights that know something already would
// lose it to the first steps, whose gradients come through a model that knows
// nothing yet; so the rate of Adam rises over the first tenth of all steps
// before it falls to 0 (Devlin et al. 2019, section A.2).

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

  // Borrows the contextualizer. rate: Adam's, where it is greatest. threads: as
  // EmbedOptions has them.
  ContextTuner(Contextualizer& contextualizer, double rate, int threads);

  // All but those that only predict words. Those of its word table may be
  // frozen.
  const nn::ParameterList<float>& parameters() const { return parameters_; }

  // Sets the vectors of the sentences' tokens in all layers, [tokens, dim]
  // each, a sentence behind another: Embed()'s but for dropout, which is at
  // work with a key. No sentence is empty. Borrows the tokens from now on.
  void Forward(absl::Span<const Sentence> sentences, nn::DropoutKey key,
               std::vector<Matrix<float>>* vectors);
  // After Forward(): adds to the gradients of the parameters.
  void Backward(absl::Span<const Matrix<float>> d_vectors) {
    layers_.Backward(batch_, d_vectors);
  }

  // Says how many steps the training has in all, by which the rate changes.
  void SetTotalSteps(uint64_t steps);
  // Moves the parameters by their gradients, which it clears, at `factor` times
  // the rate.
  void Step(double factor);
  void ClearGradients();
  // Has made no step yet.
  void ForgetSteps();
  uint64_t steps() const { return optimizer_.steps(); }
  void set_steps(uint64_t steps) { optimizer_.set_steps(steps); }

  // For checkpoints, under names of their own: the parameters, and what the
  // optimizer holds.
  void AppendLearnt(std::vector<NamedTensor>* tensors);
  void AppendOthers(std::vector<NamedTensor>* tensors);

  // Before Embed() is called: says that the parameters may have moved since the
  // last call.
  void ParametersStay() { model_.layers().ParametersStay(); }

  // The model as a file without a name. `path` stands in messages.
  absl::StatusOr<MappedFilePtr> File(const std::string& path);

 private:
  // Where the vectors of tokens are, each one's pieces from first[token] on.
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

// The model of a contextualizer.
BiLanguageModel& ModelOf(Contextualizer& contextualizer);

}  // namespace firth

#endif  // FIRTH_LM_CONTEXT_TUNER_H_
