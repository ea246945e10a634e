// Training by replicas: every rank has whole tables and trains on its share of
// the text, and a thread of each tells the others what has moved.
//
// An exchange has some rows of each table, frequent words' often and rare ones'
// seldom (see row_turns.h). All ranks send their moves of a row to one of them,
// which adds them up (see row_deltas.h) and tells all the step that the row
// takes. Where moves agree, that may be less than their sum, and would learn
// less of the text: each has 4/3 of the learning rate (Ji et al.,
// "Parallelizing Word2Vec in Shared and Distributed Memory", 2016, raise it,
// too).
//
// An exchange costs the ranks what its threads compute and copy, not what they
// wait for: after one, a rank rests until that is at most 3 % of all threads'
// time for each other rank, at most 10 %, and 30 % at first. No worker waits
// for any of it, but at the end of an epoch or at a pause, where all ranks
// exchange all rows, and are then the same.

#ifndef FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_
#define FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"
#include "train/replicas/row_deltas.h"
#include "train/replicas/row_turns.h"
#include "train/train_monitor.h"

namespace firth {

// What the learning rate of each rank is multiplied by: see above.
double RateOfReplicas(int ranks);

class ReplicaExchange {
 public:
  // The model is the same on all ranks. Borrows model and monitor, which is
  // told how many words the others have trained. vocab_size: the model's words,
  // by frequency. threads: that train here. ranks: a channel of its own, whose
  // waits are asleep.
  ReplicaExchange(EmbeddingModel& model, TrainMonitor& monitor,
                  size_t vocab_size, int threads, SentNumbers send,
                  std::unique_ptr<Ranks> ranks);

  // While nobody trains: the model has been set to what all ranks have.
  void Restart();
  // Before the workers and Run() begin.
  void Begin();
  // On a thread of its own, while others train: exchanges until the workers of
  // all ranks have ended, then all rows once more. Errors: those of the ranks.
  absl::Status Run();

  // From the threads that train. Asks all ranks to pause.
  void AskToPause() { pausing_.store(true, std::memory_order_relaxed); }
  // Whether any rank has asked to pause, or has failed.
  bool ShouldPause() const {
    return all_pause_.load(std::memory_order_relaxed);
  }
  // The workers of this rank have ended; failed: with values that must not be
  // spread.
  void EndWorkers(bool failed);

  // That the thread of Run() computed and copied.
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Ranks tell one another this with their moves, and add it up.
  struct News {
    uint64_t words;
    uint64_t ended;  // ranks whose workers have
    uint64_t pausing;
    uint64_t failed;
  };
  static constexpr size_t kNewsFloats = sizeof(News) / sizeof(float);
  // A row, and where its move and its step stand in what is sent.
  struct SentRow {
    ReplicaTable* table = nullptr;
    size_t row = 0;
    size_t at = 0;
  };

  // The rows whose turn it is, or all.
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
  // Of what is exchanged at once. It has a part for each rank, whose rows that
  // rank adds up: first the news, then the rows' moves. Steps stand where the
  // moves of their rows do.
  std::vector<SentRow> rows_;
  std::vector<size_t> counts_;  // floats of each rank's part
  std::vector<float> moves_;
  std::vector<float> own_part_;  // that this rank adds up, of all ranks
  std::vector<float> steps_;
  News news_{};  // of all ranks
  const uint64_t vocab_size_;
  uint64_t number_ = 0;
  double seconds_ = 0;
  bool bad_values_ = false;  // were found here

  std::atomic<bool> pausing_{false};
  std::atomic<bool> all_pause_{false};
  std::mutex mutex_;  // guards the next two
  std::condition_variable ended_changed_;
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_REPLICAS_REPLICA_EXCHANGE_H_
