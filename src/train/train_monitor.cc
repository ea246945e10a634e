#include "train/train_monitor.h"

#include "absl/strings/str_format.h"
#include "firth/thousands.h"
#include "run/learner.h"

namespace firth {

void TrainMonitor::GoOnFrom(uint64_t words) {
  words_.store(words, std::memory_order_relaxed);
  examples_.store(0, std::memory_order_relaxed);
  loss_.store(0, std::memory_order_relaxed);
  aborted_.store(false, std::memory_order_relaxed);
}

void TrainMonitor::Report(const WorkDone& done, int epoch,
                          bool is_first_worker) {
  words_.fetch_add(done.words, std::memory_order_relaxed);
  examples_.fetch_add(done.examples, std::memory_order_relaxed);
  loss_.fetch_add(done.loss, std::memory_order_relaxed);
  if (!is_first_worker || control_ == nullptr) return;
  Standing standing;
  standing.epoch = epoch;
  standing.examples =
      static_cast<double>(examples_.load(std::memory_order_relaxed));
  standing.loss = loss_.load(std::memory_order_relaxed);
  standing.learning_rate = LearningRate(words());
  control_->Tell(standing);
}

absl::Status TrainMonitor::NotFinite(int epoch, uint64_t words,
                                     double loss) const {
  return absl::OutOfRangeError(absl::StrFormat(
      "training stopped in epoch %d near word %s of %s, since the loss is %f; "
      "the learning rate, now %g, is probably too high",
      epoch + 1, Thousands(words), Thousands(total_words()), loss,
      LearningRate(words)));
}

}  // namespace firth
