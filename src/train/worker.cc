#include "train/worker.h"

#include <cmath>

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

Worker::Worker(const EpochContext& context, PieceSource next_piece,
               size_t thread)
    : context_(context),
      next_piece_(std::move(next_piece)),
      reader_(context.stream, context.subsampler, {}, context.EpochKey(),
              window(), context.rows),
      thread_(thread) {}

bool Worker::NextPiece() {
  if (reader_.words_read() > 0) Flush();
  done_ += piece_;
  piece_ = {};
  if (!status_.ok() || context_.monitor.aborted()) return false;
  const std::optional<StreamPiece> piece = next_piece_();
  if (!piece.has_value()) return false;
  reader_.Start(*piece);
  return true;
}

const WordRun* Worker::NextRun() {
  const uint64_t unreported = reader_.words_read() - words_reported_;
  if (unreported >= TrainMonitor::kReportWords) Flush();
  if (!status_.ok() || context_.monitor.aborted()) return nullptr;
  learning_rate_ = context_.monitor.LearningRate(
      context_.monitor.words() + reader_.words_read() - words_reported_);
  return reader_.Next(&run_) ? &run_ : nullptr;
}

void Worker::Flush() {
  recent_.words = reader_.words_read() - words_reported_;
  words_reported_ = reader_.words_read();
  if (!std::isfinite(recent_.loss) && status_.ok()) {
    status_ = context_.monitor.NotFinite(
        context_.epoch, context_.monitor.words() + recent_.words, recent_.loss);
    context_.monitor.Abort();
    return;
  }
  context_.monitor.Report(recent_, context_.epoch, thread_ == 0);
  piece_ += recent_;
  recent_ = {};
}

}  // namespace firth
