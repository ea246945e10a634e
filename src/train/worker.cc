#include "train/worker.h"

#include <cmath>

namespace firth {

Worker::Worker(const EpochContext& context, StreamPiece piece, size_t thread)
    : context_(context),
      reader_(context.stream, context.subsampler, piece, context.EpochKey(),
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
    status_ = context_.monitor.NotFinite(
        context_.epoch, context_.monitor.words() + recent_.words, recent_.loss);
    context_.monitor.Abort();
    return;
  }
  context_.monitor.Report(recent_, context_.epoch, thread_ == 0);
  done_.words += recent_.words;
  done_.examples += recent_.examples;
  done_.loss += recent_.loss;
  recent_ = {};
}

}  // namespace firth
