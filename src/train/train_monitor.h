// TrainMonitor: state that all workers share in addition to the tables: the
// number of words, the sums of losses, and whether a worker has failed.

#ifndef FIRTH_TRAIN_TRAIN_MONITOR_H_
#define FIRTH_TRAIN_TRAIN_MONITOR_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "firth/train.h"

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

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_MONITOR_H_
