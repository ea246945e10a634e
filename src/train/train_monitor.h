// TrainMonitor: what all workers share besides the tables: the count of words,
// the reasons to stop, and the reports to the user.

#ifndef FIRTH_TRAIN_TRAIN_MONITOR_H_
#define FIRTH_TRAIN_TRAIN_MONITOR_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "firth/progress.h"
#include "train/learning_rate_schedule.h"

namespace firth {

// What a worker has done since its last report.
struct WorkDone {
  uint64_t words = 0;
  uint64_t examples = 0;
  double loss = 0;  // sum, nats
};

// Thread-safe. A worker reports every kReportWords words, so the shared
// counters are touched seldom.
class TrainMonitor {
 public:
  static constexpr uint64_t kReportWords = 10000;

  TrainMonitor(const LearningRateSchedule& schedule, uint64_t total_words,
               const Hooks& hooks);

  // While no worker runs: goes on where so many words have been trained, with
  // the schedule's rates times `rate_factor`. Nothing has failed now.
  void GoOnFrom(uint64_t words, double rate_factor);

  // Adds to the sums. The worker of thread 0 also tells the progress sink.
  void Report(const WorkDone& done, int epoch, bool is_first_worker);

  uint64_t words() const { return words_.load(std::memory_order_relaxed); }
  uint64_t total_words() const { return total_words_; }
  // The learning rate when so many words have been trained.
  float LearningRate(uint64_t words) const {
    return schedule_.At(words) * rate_factor_;
  }

  // What to tell when the loss of the words up to here is not finite.
  absl::Status NotFinite(int epoch, uint64_t words, double loss) const;

  // Asks all workers to end at once: one of them failed.
  void Abort() { aborted_.store(true, std::memory_order_relaxed); }
  bool aborted() const { return aborted_.load(std::memory_order_relaxed); }
  // Whether no further piece of text is to be begun.
  bool ShouldStop() const { return aborted() || hooks_.StopRequested(); }
  bool interrupted() const { return hooks_.StopRequested(); }

 private:
  using Clock = std::chrono::steady_clock;
  void TellSink(int epoch);

  const LearningRateSchedule schedule_;
  const uint64_t total_words_;
  const Hooks hooks_;
  Clock::time_point start_;
  uint64_t first_words_ = 0;  // trained before start_
  float rate_factor_ = 1;
  std::atomic<bool> aborted_{false};
  alignas(128) std::atomic<uint64_t> words_{0};
  std::atomic<uint64_t> examples_{0};
  std::atomic<double> loss_{0};
  // Of the first worker only.
  alignas(128) Clock::time_point last_told_;
  uint64_t last_words_ = 0;
  uint64_t last_examples_ = 0;
  double last_loss_ = 0;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_MONITOR_H_
