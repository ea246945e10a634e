// Generates sentences with the forward direction of a language model.

#ifndef FIRTH_LM_GENERATOR_H_
#define FIRTH_LM_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "lm/chunk_words.h"
#include "lm/decoding.h"
#include "lm/language_model.h"
#include "lm/text_words.h"

namespace firth {

class Generator : private NextWords {
 public:
  // Borrows both. The options must be valid, and the model must have a softmax.
  Generator(BiLanguageModel& model, const GenerateOptions& options);

  // Return sentences that continue the prompt; see DrawSentence() and
  // SearchSentences().
  absl::StatusOr<GeneratedSentence> Draw(uint64_t key, const Hooks& hooks = {});
  absl::StatusOr<std::vector<GeneratedSentence>> Search(
      const Hooks& hooks = {});

 private:
  uint32_t end() const override { return kEndSentenceId; }
  // Reads the prompt.
  absl::StatusOr<ConstView<float>> Start() override;
  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override;
  // Reads one word for each row of the state, given its id.
  absl::Status ReadIds(absl::Span<const uint32_t> ids);
  // Returns ln p of the next words, given the hidden vectors from ReadIds().
  absl::StatusOr<ConstView<float>> Predict();
  GeneratedSentence Sentence(const Hypothesis& hypothesis) const;

  BiLanguageModel& model_;
  const GenerateOptions& options_;
  TextWords text_words_;
  ChunkWords words_;
  nn::LayerState<float> state_;
  Matrix<float> tokens_;
  ConstView<float> hidden_;
  Matrix<float> log_probabilities_;
};

}  // namespace firth

#endif  // FIRTH_LM_GENERATOR_H_
