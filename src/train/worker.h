// Worker: the private state of one thread that trains on pieces of the text.
// TrainMonitor: state that all workers share in addition to the tables: the
// number of words, the sums of losses, and whether a worker has failed.

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
#include "vocab/subsampler.h"

namespace firth {

// The learning rate over the course of training. It falls linearly with the
// words processed over all epochs, from `start` to 0, but not below `floor`.
class LearningRateSchedule {
 public:
  // `total_words` counts the words of all epochs together, at least 1.
  LearningRateSchedule(double start, double floor, uint64_t total_words)
      : start_(start), floor_(floor), total_words_(total_words) {}

  uint64_t total_words() const { return total_words_; }
  float At(uint64_t words) const {
    const double left =
        1 - static_cast<double>(words) / static_cast<double>(total_words_);
    return static_cast<float>(std::max(start_ * std::max(left, 0.0), floor_));
  }

 private:
  double start_;
  double floor_;
  uint64_t total_words_;
};

// Returns the schedule for epochs of `words` words each.
inline LearningRateSchedule ScheduleFor(const TrainOptions& options,
                                        uint64_t words) {
  const uint64_t total =
      std::max<uint64_t>(1, words * static_cast<uint64_t>(options.epochs));
  const double rate = options.learning_rate > 0 ? options.learning_rate
                                                : DefaultLearningRate(options);
  return {rate, options.min_learning_rate, total};
}

class RunControl;

// The work of a worker since its last report.
struct WorkDone {
  uint64_t words = 0;
  uint64_t examples = 0;
  double loss = 0;  // Sum in nats.

  WorkDone& operator+=(const WorkDone& more) {
    words += more.words;
    examples += more.examples;
    loss += more.loss;
    return *this;
  }
};

// Thread-safe. A worker reports every kReportWords words, so that the shared
// counters are rarely touched.
class TrainMonitor {
 public:
  static constexpr uint64_t kReportWords = 10000;

  explicit TrainMonitor(const LearningRateSchedule& schedule)
      : schedule_(schedule) {}

  // Must not be called while workers run.
  void set_schedule(const LearningRateSchedule& schedule) {
    schedule_ = schedule;
  }

  // Continues as if `words` words had been trained, and clears any failure.
  // Must not be called while workers run.
  void GoOnFrom(uint64_t words);
  // Sets the receiver of reports, or null for none. Must not be called while
  // workers run.
  void set_control(RunControl* control) { control_ = control; }
  void set_rate_factor(double factor) {
    rate_factor_ = static_cast<float>(factor);
  }

  // Adds to the sums. The first worker, that of thread 0, also reports them.
  void Report(const WorkDone& done, int epoch, bool is_first_worker);

  uint64_t words() const { return words_.load(std::memory_order_relaxed); }
  // Returns the words trained so far by other ranks, which train on the rest of
  // the text, or fewer if not all are known yet.
  uint64_t words_of_others() const {
    return words_of_others_.load(std::memory_order_relaxed);
  }
  void set_words_of_others(uint64_t words) {
    words_of_others_.store(words, std::memory_order_relaxed);
  }
  uint64_t total_words() const { return schedule_.total_words(); }
  // Returns the learning rate after `words` words have been trained here.
  float LearningRate(uint64_t words) const {
    return schedule_.At(words + words_of_others()) * rate_factor_;
  }

  // Returns the error to report if the loss up to this word is not finite.
  absl::Status NotFinite(int epoch, uint64_t words, double loss) const;

  // Asks all workers to end immediately, because one of them failed.
  void Abort() { aborted_.store(true, std::memory_order_relaxed); }
  bool aborted() const { return aborted_.load(std::memory_order_relaxed); }

 private:
  LearningRateSchedule schedule_;
  RunControl* control_ = nullptr;
  float rate_factor_ = 1;
  std::atomic<bool> aborted_{false};
  std::atomic<uint64_t> words_of_others_{0};
  alignas(128) std::atomic<uint64_t> words_{0};
  std::atomic<uint64_t> examples_{0};
  std::atomic<double> loss_{0};
};

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
  const SentenceRows* rows = nullptr;  // Those of the stream, or null.

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
