#include "train/train_monitor.h"

#include "absl/strings/str_format.h"
#include "firth/thousands.h"

namespace firth {
namespace {

constexpr std::chrono::milliseconds kTellEvery(200);

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

TrainMonitor::TrainMonitor(const LearningRateSchedule& schedule,
                           uint64_t total_words, const Hooks& hooks)
    : schedule_(schedule),
      total_words_(total_words),
      hooks_(hooks),
      start_(Clock::now()),
      last_told_(start_) {}

void TrainMonitor::GoOnFrom(uint64_t words, double rate_factor) {
  words_.store(words, std::memory_order_relaxed);
  first_words_ = last_words_ = words;
  start_ = last_told_ = Clock::now();
  rate_factor_ = static_cast<float>(rate_factor);
  aborted_.store(false, std::memory_order_relaxed);
}

void TrainMonitor::Report(const WorkDone& done, int epoch,
                          bool is_first_worker) {
  words_.fetch_add(done.words, std::memory_order_relaxed);
  examples_.fetch_add(done.examples, std::memory_order_relaxed);
  loss_.fetch_add(done.loss, std::memory_order_relaxed);
  if (is_first_worker && hooks_.progress != nullptr) TellSink(epoch);
}

absl::Status TrainMonitor::NotFinite(int epoch, uint64_t words,
                                     double loss) const {
  return absl::OutOfRangeError(absl::StrFormat(
      "training stopped in epoch %d near word %s of %s: expected a finite "
      "loss, found %f; the learning rate, now %g, is probably too high",
      epoch + 1, Thousands(words), Thousands(total_words_), loss,
      LearningRate(words)));
}

void TrainMonitor::TellSink(int epoch) {
  const Clock::time_point now = Clock::now();
  if (now - last_told_ < kTellEvery) return;
  const uint64_t words = this->words();
  const uint64_t examples = examples_.load(std::memory_order_relaxed);
  const double loss = loss_.load(std::memory_order_relaxed);
  TrainProgress progress;
  progress.epoch = epoch;
  progress.fraction =
      static_cast<double>(words) / static_cast<double>(total_words_);
  progress.words_per_second =
      static_cast<double>(words - last_words_) / Seconds(now - last_told_);
  if (examples > last_examples_) {
    progress.loss =
        (loss - last_loss_) / static_cast<double>(examples - last_examples_);
  }
  progress.learning_rate = LearningRate(words);
  progress.seconds_left = Seconds(now - start_) *
                          static_cast<double>(total_words_ - words) /
                          static_cast<double>(words - first_words_);
  last_told_ = now;
  last_words_ = words;
  last_examples_ = examples;
  last_loss_ = loss;
  hooks_.progress->OnTrain(progress);
}

}  // namespace firth
