// ChunkTrainer: one training step of a language model (forward pass, backward
// pass and optimizer) on the next chunk of a text.

#ifndef FIRTH_LM_CHUNK_TRAINER_H_
#define FIRTH_LM_CHUNK_TRAINER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/chunk_words.h"
#include "lm/language_model.h"
#include "lm/pair_rows.h"
#include "lm/text_rows.h"
#include "nn/optimizer.h"

namespace firth {

class ChunkTrainer {
 public:
  // Borrows all arguments.
  ChunkTrainer(const LanguageModelTraining& training,
               const nn::OptimizerOptions& optimizer, const Corpus& text,
               BiLanguageModel* model);

  // Trains on the next chunk. `step` is the number of steps before this one.
  // Returns the mean loss of both directions, in nats per token. Errors:
  // OutOfRange, the loss or the gradient is not finite; the parameters are then
  // unchanged.
  absl::StatusOr<double> Step(uint64_t step, double learning_rate);

  // Number of tokens per step in each direction.
  uint64_t tokens_per_step() const { return rows_.rows() * unroll_; }
  // Number of tokens of the text that are predicted as kUnknown.
  uint64_t unknown_tokens() const { return unknown_tokens_; }

  // The state that a checkpoint stores in addition to the parameters.
  const TextRows& rows() const { return rows_; }
  std::vector<uint64_t> Positions() const;
  // Returns false if the positions belong to another text.
  bool SetPositions(const std::vector<uint64_t>& positions);
  nn::Optimizer<float>& optimizer() { return optimizer_; }
  const nn::Optimizer<float>& optimizer() const { return optimizer_; }
  nn::LayerState<float>& state(Direction direction) {
    return SideOf(direction).state;
  }

 private:
  // Buffers of one direction.
  struct Side {
    std::vector<uint32_t> word_of_row;
    nn::Targets targets;
    Matrix<float> inputs;
    Matrix<float> d_inputs;
    nn::LayerState<float> state;
    double loss = 0;
  };

  absl::StatusOr<double> StepOfTeam(uint64_t step, double learning_rate);
  Side& SideOf(Direction direction) {
    return sides_[static_cast<size_t>(direction)];
  }
  // Sets the words of the next chunk that each direction reads and predicts.
  void FindWords(uint64_t key);
  void FindWords(const TextChunk::Side& text, Side* side);
  void FindHiddenWords(uint64_t key);
  void RunDirections(ConstView<float> vectors, uint64_t key);
  void RunDirection(Direction direction, uint64_t key);
  void RunMasked(ConstView<float> vectors, uint64_t key);
  // Returns the first row of each sequence of a masked model.
  std::vector<uint32_t> FirstRows() const;
  // Returns the rows of the top layer that heads read: the head of a masked
  // model reads those of hidden words, the head for pairs the first of each
  // pair.
  std::vector<uint32_t> AskedRows() const;
  // For pairs: adds the segment vector to second segments, and its gradient.
  void AddSegments();
  void SegmentsBackward();
  // Returns the loss of predicting whether sentences follow each other. Adds
  // its gradient to the gradient with respect to the tops.
  double StepOnPairs();
  void EncoderBackward();
  // Clears the gradients. Returns an error that names the non-finite value.
  absl::Status NotFinite(uint64_t step, absl::string_view what, double found);
  // Clears the state of each row whose chunk begins with a sentence.
  void ForgetAtStarts();

  BiLanguageModel& model_;
  size_t unroll_;
  double clip_norm_;
  uint64_t seed_;
  int threads_;
  TextWords text_words_;
  uint64_t unknown_tokens_ = 0;
  TextRows rows_;
  nn::ParameterList<float> parameters_;
  nn::Optimizer<float> optimizer_;
  TextChunk chunk_;
  ChunkWords words_;
  Side sides_[2];
  std::vector<nn::HeadWork<float>> works_;
  // The members below are for masked models, which use only sides_[0].
  std::vector<uint32_t> ids_;
  std::vector<size_t> lengths_;
  std::optional<PairRows> pairs_;  // for training on pairs
  PairChunk pair_chunk_;
  Matrix<float> firsts_;
  Matrix<float> d_firsts_;
  Matrix<float> tops_;
  Matrix<float> d_words_;
};

}  // namespace firth

#endif  // FIRTH_LM_CHUNK_TRAINER_H_
