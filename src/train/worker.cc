#include "train/worker.h"

#include <cmath>
#include <utility>

namespace firth {

Worker::Worker(const EpochContext& context, PieceSource next_piece,
               size_t thread)
    : context_(context),
      next_piece_(std::move(next_piece)),
      reader_(context.stream, context.subsampler, {}, context.EpochKey(),
              window()),
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
