#include "train/worker.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "base/rng.h"

namespace firth {

Worker::Worker(const EpochContext& context, StreamPiece piece, size_t thread)
    : context_(context),
      reader_(context.stream, context.subsampler, piece,
              CombineKeys(context.options.seed,
                          static_cast<uint64_t>(context.epoch)),
              window()),
      thread_(thread) {}

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
    status_ = NotFinite();
    context_.monitor.Abort();
    return;
  }
  context_.monitor.Report(recent_, context_.epoch, thread_ == 0);
  done_.words += recent_.words;
  done_.examples += recent_.examples;
  done_.loss += recent_.loss;
  recent_ = {};
}

absl::Status Worker::NotFinite() const {
  return absl::OutOfRangeError(absl::StrFormat(
      "training stopped in epoch %d near word %d of %d: expected a finite "
      "loss, found %f; the learning rate, now %g, is probably too high",
      context_.epoch + 1, context_.monitor.words() + recent_.words,
      context_.monitor.total_words(), recent_.loss, learning_rate_));
}

}  // namespace firth
