// HogwildTrainer: epochs of workers without locks.

#ifndef FIRTH_TRAIN_HOGWILD_TRAINER_H_
#define FIRTH_TRAIN_HOGWILD_TRAINER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "train/sentence_reader.h"
#include "train/train_monitor.h"
#include "vocab/subsampler.h"

namespace firth {

// Trains a model on a stream. Every epoch each worker goes through a piece of
// its own and steps on the shared tables as if it were alone (Niu et al. 2011,
// "Hogwild!"); with one thread the result depends on the seed alone.
// Borrows all that it is made from.
class HogwildTrainer {
 public:
  HogwildTrainer(const TrainOptions& options, const TokenStream& stream,
                 const Vocabulary& vocabulary, const ObjectiveTables& tables,
                 EmbeddingModel& model, const Hooks& hooks);

  // Runs all epochs, or until asked to stop.
  absl::StatusOr<TrainReport> Run();

 private:
  absl::StatusOr<EpochReport> RunEpoch(int epoch);

  const TrainOptions& options_;
  const TokenStream& stream_;
  const ObjectiveTables& tables_;
  EmbeddingModel& model_;
  const Subsampler subsampler_;
  StreamPiece held_out_;  // empty but for NCE
  StreamPiece trained_;
  uint64_t trained_words_;
  int threads_;
  TrainMonitor monitor_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_HOGWILD_TRAINER_H_
