// Worker: the private state of one thread that trains on pieces of the text.

#ifndef FIRTH_TRAIN_WORKER_H_
#define FIRTH_TRAIN_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
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
  int threads = 1;  // that work on the model at the same time

  // Of the random bits that positions have in this epoch.
  uint64_t EpochKey() const {
    return CombineKeys(options.seed, static_cast<uint64_t>(epoch));
  }
};

// What was trained of an epoch, before its end or a pause.
struct TrainedPart {
  uint64_t end = 0;  // of the text, where to go on
  WorkDone done;
  absl::Status status;
};

// Hands out a piece of the text, or nothing when there is no more to do.
using PieceSource = std::function<std::optional<StreamPiece>()>;

// One piece alone.
inline PieceSource OnePiece(StreamPiece piece) {
  return [left = std::optional(piece)]() mutable {
    return std::exchange(left, std::nullopt);
  };
}

// Reads runs, keeps the learning rate and the sums, reports to the monitor and
// notices when the loss is no longer finite.
class alignas(128) Worker {
 public:
  // next_piece: tells the pieces that this worker trains on, one by one.
  Worker(const EpochContext& context, PieceSource next_piece, size_t thread);

  // Reports what has been done of the present piece and goes on with the next
  // one; false when there is none, or when this or another worker has failed.
  bool NextPiece();

  // The next run of words of the piece, or null at its end, or when this or
  // another worker has failed.
  const WordRun* NextRun();

  // Of the present run.
  float learning_rate() const { return learning_rate_; }
  size_t thread() const { return thread_; }
  const EpochContext& context() const { return context_; }
  size_t window() const { return static_cast<size_t>(context_.options.window); }

  // Counts what has been done, but for the words.
  void Add(const WorkDone& work) {
    recent_.examples += work.examples;
    recent_.loss += work.loss;
  }

  const absl::Status& status() const { return status_; }
  // The sum over all pieces; complete when NextPiece() has returned false.
  const WorkDone& done() const { return done_; }

 private:
  // Reports what has been done since the last report.
  void Flush();

  const EpochContext& context_;
  PieceSource next_piece_;
  SentenceReader reader_;
  WordRun run_;
  size_t thread_;
  float learning_rate_ = 0;
  uint64_t words_reported_ = 0;
  WorkDone recent_;  // since the last report
  WorkDone piece_;   // of the present piece, until the last report
  WorkDone done_;    // of the pieces before: sums of sums, so that a training
                     // that pauses between pieces has the same
  absl::Status status_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_WORKER_H_
