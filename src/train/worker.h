// Worker: the private state of one thread that trains on pieces of the text.

#ifndef FIRTH_TRAIN_WORKER_H_
#define FIRTH_TRAIN_WORKER_H_

#include <algorithm>
#include <atomic>
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

// Inputs for training one epoch, the same for all workers. All are borrowed.
struct EpochContext {
  const TrainOptions& options;
  const TokenStream& stream;
  const Subsampler& subsampler;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  TrainMonitor& monitor;
  int epoch = 0;
  int threads = 1;  // Threads that work on the model together.

  // Returns the key of the random bits of positions in this epoch.
  uint64_t EpochKey() const {
    return CombineKeys(options.seed, static_cast<uint64_t>(epoch));
  }
};

// The part of an epoch that was trained before its end or a pause.
struct TrainedPart {
  uint64_t end = 0;  // Position of the text at which to continue.
  WorkDone done;
  absl::Status status;
};

// Returns the next piece of the text, or nothing if there is no more work.
using PieceSource = std::function<std::optional<StreamPiece>()>;

// Returns a source of a single piece.
inline PieceSource OnePiece(StreamPiece piece) {
  return [left = std::optional(piece)]() mutable {
    return std::exchange(left, std::nullopt);
  };
}

// Reads runs, keeps the learning rate and the sums, reports to the monitor and
// detects a loss that is not finite.
class alignas(128) Worker {
 public:
  // `next_piece` returns the pieces that this worker trains on, one by one.
  Worker(const EpochContext& context, PieceSource next_piece, size_t thread);

  // Reports the work on the current piece and continues with the next one.
  // Returns false if there is none, or if this or another worker has failed.
  bool NextPiece();

  // Returns the next run of words of the piece, or null at its end, or if this
  // or another worker has failed.
  const WordRun* NextRun();

  // Returns the learning rate of the current run.
  float learning_rate() const { return learning_rate_; }
  size_t thread() const { return thread_; }
  const EpochContext& context() const { return context_; }
  size_t window() const { return static_cast<size_t>(context_.options.window); }

  // Adds work, except for its words, which the reader counts.
  void Add(const WorkDone& work) {
    recent_.examples += work.examples;
    recent_.loss += work.loss;
  }

  const absl::Status& status() const { return status_; }
  // Returns the sum over all pieces; complete once NextPiece() returned false.
  const WorkDone& done() const { return done_; }

 private:
  // Reports the work since the last report.
  void Flush();

  const EpochContext& context_;
  PieceSource next_piece_;
  SentenceReader reader_;
  WordRun run_;
  size_t thread_;
  float learning_rate_ = 0;
  uint64_t words_reported_ = 0;
  WorkDone recent_;  // Since the last report.
  WorkDone piece_;   // Of the current piece, until the last report.
  // Sum over earlier pieces, of one sum per piece, so that a training run that
  // pauses between pieces gets the same result.
  WorkDone done_;
  absl::Status status_;
};

// Trains on all pieces that the worker is given, with the best instruction set
// of this machine. The results are then in worker.status() and worker.done().
void TrainShard(Worker& worker);

// Hands out the rest of an epoch to threads, piece by piece. Thread-safe.
// Pieces are small, so that a thread that is slow for any reason gets fewer of
// them, and all threads end at about the same time.
class PieceQueue {
 public:
  PieceQueue(StreamPiece rest, uint64_t piece_tokens)
      : end_(rest.end), piece_tokens_(piece_tokens), next_(rest.begin) {}

  std::optional<StreamPiece> Next() {
    const uint64_t begin =
        next_.fetch_add(piece_tokens_, std::memory_order_relaxed);
    if (begin >= end_) return std::nullopt;
    return StreamPiece{begin, std::min(begin + piece_tokens_, end_)};
  }

  // Returns the start of the first piece that was not handed out.
  uint64_t position() const {
    return std::min(next_.load(std::memory_order_relaxed), end_);
  }

 private:
  const uint64_t end_;
  const uint64_t piece_tokens_;
  std::atomic<uint64_t> next_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_WORKER_H_
