// The learning rate over the course of training.

#ifndef FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_
#define FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_

#include <algorithm>
#include <cstdint>

#include "firth/train.h"

namespace firth {

// Falls linearly with the words processed over all epochs, from `start` to 0,
// but not below `floor`.
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

}  // namespace firth

#endif  // FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_
