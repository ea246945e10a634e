// Worker: the private state of one training thread.

#ifndef FIRTH_TRAIN_WORKER_H_
#define FIRTH_TRAIN_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "corpus/token_stream.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "model/slice_log.h"
#include "objective/objective_tables.h"
#include "train/rounds.h"
#include "train/sentence_reader.h"
#include "train/train_monitor.h"
#include "vocab/subsampler.h"

namespace firth {

// What training one epoch needs; the same for all workers. Borrowed throughout.
struct EpochContext {
  const TrainOptions& options;
  const TokenStream& stream;
  const Subsampler& subsampler;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  TrainMonitor& monitor;
  int epoch = 0;
  int threads = 1;           // that work on the model at the same time
  Rounds* rounds = nullptr;  // null: Hogwild
};

// Reads runs, keeps the learning rate and the sums, reports to the monitor and
// notices when the loss is no longer finite.
class alignas(128) Worker {
 public:
  // Hogwild, on a piece of the text.
  Worker(const EpochContext& context, StreamPiece piece, size_t thread);
  // On slices of context.rounds.
  Worker(const EpochContext& context, size_t thread);

  // The next run of words, or null when all is done, or when this or another
  // worker has failed.
  const WordRun* NextRun();

  // Where the steps of the present run go; null: to the tables.
  SliceLog* log() const { return log_; }

  // Of the present run.
  float learning_rate() const { return learning_rate_; }
  size_t thread() const { return thread_; }
  const EpochContext& context() const { return context_; }
  size_t window() const { return static_cast<size_t>(context_.options.window); }

  void AddExamples(size_t count) { recent_.examples += count; }
  void AddLoss(double sum) { recent_.loss += sum; }
  // Reports what has been done since the last report. Call once at the end.
  void Flush();

  const absl::Status& status() const { return status_; }
  const WorkDone& done() const { return done_; }

 private:
  uint64_t EpochKey() const;
  const WordRun* NextRunOfRounds();
  void EndSlice();

  const EpochContext& context_;
  std::optional<SentenceReader> reader_;
  SliceLog* log_ = nullptr;
  WordRun run_;
  size_t thread_;
  float learning_rate_ = 0;
  uint64_t words_reported_ = 0;
  WorkDone recent_;  // since the last report
  WorkDone done_;    // until the last report
  absl::Status status_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_WORKER_H_
