// Trainer: the epochs of a training, from its start or a checkpoint to its end.

#ifndef FIRTH_TRAIN_TRAINER_H_
#define FIRTH_TRAIN_TRAINER_H_

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "train/checkpoint_folder.h"
#include "train/rounds/rounds.h"
#include "train/sentence_reader.h"
#include "train/train_monitor.h"
#include "train/worker.h"
#include "vocab/subsampler.h"

namespace firth {

// Trains a model on a stream. Workers take pieces of it, one after another, and
// step on the shared tables as if they were alone (Niu et al. 2011,
// "Hogwild!"); with one thread the result depends on the seed alone. Between
// two pieces a worker keeps nothing: there the training can stop, be saved, and
// go on. Or they work in rounds (see train/rounds/rounds.h), and the number of
// threads does not matter. Borrows all that it is made from.
class Trainer {
 public:
  // checkpoints: where to save and to start from; null: nowhere.
  Trainer(const TrainOptions& options, const TokenStream& stream,
          const Vocabulary& vocabulary, const ObjectiveTables& tables,
          EmbeddingModel& model, const Hooks& hooks,
          const Validation& validation, CheckpointFolder* checkpoints);

  // Runs all epochs, or until asked to stop, or until there has been no better
  // one for too long. With validation the model is that of the best epoch.
  absl::StatusOr<TrainReport> Run();

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Restore();
  // Trains until the epoch ends, a checkpoint is due, or asked to stop.
  absl::Status TrainOn();
  absl::Status TrainPieces();
  absl::Status TrainRounds();
  StreamPiece RestOfEpoch() const;
  EpochContext Context();
  absl::Status EndEpoch();
  absl::Status Validate();
  // Nothing if no word is left to predict.
  std::optional<double> HeldOutLoss();
  // Epochs since the best one; 0: the last one is it, or none is over.
  uint64_t EpochsWithoutBetter() const;
  bool HasPatience() const;
  bool IsCheckpointDue() const;
  void PlanCheckpoint();
  bool CanHalveRate(const absl::Status& status) const;
  absl::Status HalveRate(const absl::Status& cause);
  TrainReport Report(uint64_t words_before, double seconds,
                     double training_seconds);

  const TrainOptions& options_;
  const TokenStream& stream_;
  const Vocabulary& vocabulary_;
  const ObjectiveTables& tables_;
  EmbeddingModel& model_;
  const Hooks& hooks_;
  const Validation& validation_;
  CheckpointFolder* const checkpoints_;
  const Subsampler subsampler_;
  StreamPiece held_out_;  // empty but for NCE
  StreamPiece trained_;
  uint64_t trained_words_;
  int threads_;
  const RoundShape round_shape_;  // of a deterministic training
  TrainMonitor monitor_;
  TrainingState state_;
  Clock::time_point earliest_checkpoint_ = Clock::time_point::min();
  Clock::time_point next_checkpoint_ = Clock::time_point::max();
  uint64_t next_checkpoint_words_ = UINT64_MAX;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINER_H_
