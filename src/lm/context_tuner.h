// ContextTuner: a contextualizer whose weights a task moves.

#ifndef FIRTH_LM_CONTEXT_TUNER_H_
#define FIRTH_LM_CONTEXT_TUNER_H_

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

namespace firth {

class SentenceWindows;  // lm/sentence_windows.h

class ContextTuner {
 public:
  using Sentence = Contextualizer::Sentence;

  // Borrows the contextualizer. threads: as EmbedOptions has them.
  ContextTuner(Contextualizer& contextualizer, int threads);

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
  SentenceChunk chunk_;
  TunedBatch batch_;
};

// The model of a contextualizer.
BiLanguageModel& ModelOf(Contextualizer& contextualizer);

}  // namespace firth

#endif  // FIRTH_LM_CONTEXT_TUNER_H_
