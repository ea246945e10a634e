// Training by replicas: every rank has whole tables and trains on its share of
// the text, while a thread of each rank exchanges the changes with the others.
//
// An exchange contains some rows of each table. Frequent words move more often
// than rare ones, so they are exchanged more often (Ji et al., "Parallelizing
// Word2Vec in Shared and Distributed Memory", 2016): the first 2048 words each
// time, the next 2048 every second time, the 4096 after them every fourth time,
// and so on. Of each group except the first, an exchange has 1024 words. So all
// exchanges have the same size and the same interval. After an exchange of many
// rows, ranks would rest for a long time, and the frequent words would have to
// wait.
//
// All ranks send their moves
// of a row to one rank, which adds them up (see row_deltas.h) and sends the
// step of the row to all. If the moves agree, the step may be less than their
// sum, and training would learn less from the text. Each rank therefore uses
// 4/3 of the learning rate (Ji et al. also raise it).
//
// An exchange costs what its threads compute and copy, not the time for which
// they wait. A rank then rests until this cost is at most 3 % of all threads'
// time for each other rank, and at most 10 % in total, or 30 % at first. No
// worker waits for exchanges, except at the end of an epoch or at a pause. All
// ranks then exchange all rows and have the same tables.

#ifndef FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_
#define FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"
#include "train/replicas/row_deltas.h"
#include "train/worker.h"

namespace firth {

// Rows [begin, end).
struct RowRange {
  size_t begin = 0;
  size_t end = 0;

  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// Rows of a table that take turns.
struct RowTurns {
  enum Order {
    kFrequentFirst,  // Like words: most frequent first.
    kFrequentLast,
    kAny,  // In turn, the same fraction of them as of words.
    kAll,  // All of them in every exchange.
  };
  size_t table = 0;
  size_t first = 0;
  size_t count = 0;
  Order order = kFrequentFirst;
};

// Returns the rows in exchange k, from 0, if there are `vocab_size` words.
std::vector<RowRange> RowsOfExchange(uint64_t k, size_t vocab_size,
                                     const RowTurns& turns);

// Returns the factor of the learning rate of each rank, as described above.
double RateOfReplicas(int ranks);

class ReplicaExchange {
 public:
  // The model must be the same on all ranks. Borrows the model and the monitor,
  // and sets the monitor's words of other ranks. `vocab_size` is the number of
  // the model's words, which are sorted by frequency. `threads` train on this
  // rank. `ranks` is a separate channel, which sleeps while it waits.
  ReplicaExchange(EmbeddingModel& model, TrainMonitor& monitor,
                  size_t vocab_size, int threads, SentNumbers send,
                  std::unique_ptr<Ranks> ranks);

  // To be called while nothing trains, after the model was set to the same
  // values on all ranks.
  void Restart();
  // Must be called before the workers and Run() start.
  void Begin();
  // Exchanges rows until the workers of all ranks have ended, then all rows
  // once more. Runs on its own thread while others train. Errors: OutOfRange, a
  // row is not finite; those of the ranks.
  absl::Status Run();

  // Asks all ranks to pause. For the threads that train.
  void AskToPause() { pausing_.store(true, std::memory_order_relaxed); }
  // Returns whether any rank has asked to pause, or has failed.
  bool ShouldPause() const {
    return all_pause_.load(std::memory_order_relaxed);
  }
  // Signals that the workers of this rank have ended. `failed` means that they
  // left values that must not be spread.
  void EndWorkers(bool failed);

  // Returns the CPU time for which Run() computed and copied.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  // News that ranks send with their moves. Each rank adds up the news of all.
  struct News {
    uint64_t words;
    uint64_t ended;  // Ranks whose workers have ended.
    uint64_t pausing;
    uint64_t failed;
  };
  static constexpr size_t kNewsFloats = sizeof(News) / sizeof(float);
  // A row, and the position of its move and step in the data that is sent.
  struct SentRow {
    ReplicaTable* table = nullptr;
    size_t row = 0;
    size_t at = 0;
  };

  // Exchanges all rows, or those whose turn it is.
  absl::Status Exchange(bool all);
  absl::Status ExchangeRows();
  void DivideRows();
  void AddUpRows();
  News OwnNews();
  void HearNews(const News& own);
  void Rest(double seconds);

  TrainMonitor& monitor_;
  const int threads_;
  const std::unique_ptr<Ranks> ranks_;
  std::vector<ReplicaTable> tables_;
  std::vector<RowTurns> turns_;
  // The rows that are exchanged at once. The data has one part per rank, for
  // the rows that this rank adds up: first the news, then the moves of the
  // rows. The step of a row has the same position as its move.
  std::vector<SentRow> rows_;
  std::vector<size_t> counts_;  // Floats in each rank's part.
  std::vector<float> moves_;
  std::vector<float> own_part_;  // This rank's part, from all ranks.
  std::vector<float> steps_;
  News news_{};  // Sum over all ranks.
  const uint64_t vocab_size_;
  uint64_t number_ = 0;
  double seconds_ = 0;
  bool bad_values_ = false;  // Whether this rank found any.

  std::atomic<bool> pausing_{false};
  std::atomic<bool> all_pause_{false};
  std::mutex mutex_;  // Guards ended_ and failed_.
  std::condition_variable ended_changed_;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_
