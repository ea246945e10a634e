// ChunkTrainer: one step of training a language model, forward, backward and
// optimizer, on the next chunk of a text.

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
  // Borrows all.
  ChunkTrainer(const LanguageModelTraining& training,
               const nn::OptimizerOptions& optimizer, const Corpus& text,
               BiLanguageModel* model);

  // Trains on the next chunk, the `step`-th of all, from 0. Returns the mean
  // loss of both directions, nats a token. Errors: OutOfRange, a loss or the
  // gradient is not finite; the parameters are as before.
  absl::StatusOr<double> Step(uint64_t step, double learning_rate);

  // In each direction.
  uint64_t tokens_per_step() const { return rows_.rows() * unroll_; }
  // How often the text's words are to be predicted as kUnknown.
  uint64_t unknown_tokens() const { return unknown_tokens_; }

  // What a checkpoint must hold besides the parameters.
  const TextRows& rows() const { return rows_; }
  std::vector<uint64_t> Positions() const;
  // False if they are of another text.
  bool SetPositions(const std::vector<uint64_t>& positions);
  nn::Optimizer<float>& optimizer() { return optimizer_; }
  const nn::Optimizer<float>& optimizer() const { return optimizer_; }
  nn::LayerState<float>& state(Direction direction) {
    return SideOf(direction).state;
  }

 private:
  // What a direction works with.
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
  // Reads the next chunk: what each direction reads and predicts.
  void FindWords(uint64_t key);
  void FindWords(const TextChunk::Side& text, Side* side);
  void FindHiddenWords(uint64_t key);
  void RunDirections(ConstView<float> vectors, uint64_t key);
  void RunDirection(Direction direction, uint64_t key);
  void RunMasked(ConstView<float> vectors, uint64_t key);
  // The rows in which the sequences of a masked model begin.
  std::vector<uint32_t> FirstRows() const;
  // The rows of the top layer that are read: a masked model's head reads those
  // of hidden words, the one for pairs the first of each.
  std::vector<uint32_t> AskedRows() const;
  // Of pairs: adds the vector of the second segments to what is read, and back.
  void AddSegments();
  void SegmentsBackward();
  // Returns the loss of telling whether sentences follow; its gradient is added
  // to that by the tops.
  double StepOnPairs();
  void EncoderBackward();
  // Drops the gradients, and says what is no longer finite.
  absl::Status NotFinite(uint64_t step, absl::string_view what, double found);
  // Where a chunk begins with a sentence, the state of its row becomes 0.
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
  // These are for masked models, which use only sides_[0].
  std::vector<uint32_t> ids_;
  std::vector<size_t> lengths_;
  std::optional<PairRows> pairs_;  // what is learnt of pairs
  PairChunk pair_chunk_;
  Matrix<float> firsts_;
  Matrix<float> d_firsts_;
  Matrix<float> tops_;
  Matrix<float> d_words_;
};

}  // namespace firth

#endif  // FIRTH_LM_CHUNK_TRAINER_H_
