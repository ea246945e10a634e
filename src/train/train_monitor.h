// TrainMonitor: what all workers share besides the tables: the count of words,
// the sums of losses, and whether one of them has failed.

#ifndef FIRTH_TRAIN_TRAIN_MONITOR_H_
#define FIRTH_TRAIN_TRAIN_MONITOR_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "train/learning_rate_schedule.h"

namespace firth {

class RunControl;

// What a worker has done since its last report.
struct WorkDone {
  uint64_t words = 0;
  uint64_t examples = 0;
  double loss = 0;  // sum, nats

  WorkDone& operator+=(const WorkDone& more) {
    words += more.words;
    examples += more.examples;
    loss += more.loss;
    return *this;
  }
};

// Thread-safe. A worker reports every kReportWords words, so the shared
// counters are touched seldom.
class TrainMonitor {
 public:
  static constexpr uint64_t kReportWords = 10000;

  explicit TrainMonitor(const LearningRateSchedule& schedule)
      : schedule_(schedule) {}

  // Not to be called while workers run.
  void set_schedule(const LearningRateSchedule& schedule) {
    schedule_ = schedule;
  }

  // While no worker runs: goes on where so many words have been trained.
  // Nothing has failed now.
  void GoOnFrom(uint64_t words);
  // While no worker runs: whom the reports are told; null: nobody.
  void set_control(RunControl* control) { control_ = control; }
  void set_rate_factor(double factor) {
    rate_factor_ = static_cast<float>(factor);
  }

  // Adds to the sums. The worker of thread 0 also tells them.
  void Report(const WorkDone& done, int epoch, bool is_first_worker);

  uint64_t words() const { return words_.load(std::memory_order_relaxed); }
  // Those of other ranks, who train on the rest of the text, as far as they are
  // known.
  uint64_t words_of_others() const {
    return words_of_others_.load(std::memory_order_relaxed);
  }
  void set_words_of_others(uint64_t words) {
    words_of_others_.store(words, std::memory_order_relaxed);
  }
  uint64_t total_words() const { return schedule_.total_words(); }
  // The learning rate when so many words have been trained here.
  float LearningRate(uint64_t words) const {
    return schedule_.At(words + words_of_others()) * rate_factor_;
  }

  // What to tell when the loss of the words up to here is not finite.
  absl::Status NotFinite(int epoch, uint64_t words, double loss) const;

  // Asks all workers to end at once: one of them failed.
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

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_MONITOR_H_
