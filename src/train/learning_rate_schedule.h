// The learning rate as training goes on.

#ifndef FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_
#define FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_

#include <algorithm>
#include <cstdint>

namespace firth {

// Falls linearly with the words processed, over all epochs, from `start` to 0,
// but not below `floor`.
class LearningRateSchedule {
 public:
  // total_words: of all epochs together, at least 1.
  LearningRateSchedule(double start, double floor, uint64_t total_words)
      : start_(start),
        floor_(floor),
        total_words_(static_cast<double>(total_words)) {}

  float At(uint64_t words) const {
    const double left = 1 - static_cast<double>(words) / total_words_;
    return static_cast<float>(std::max(start_ * std::max(left, 0.0), floor_));
  }

 private:
  double start_;
  double floor_;
  double total_words_;
};

}  // namespace firth

#endif  // FIRTH_TRAIN_LEARNING_RATE_SCHEDULE_H_
