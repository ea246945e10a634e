#include "train/worker.h"

#include <cmath>

#include "base/rng.h"

namespace firth {

Worker::Worker(const EpochContext& context, StreamPiece piece, size_t thread)
    : Worker(context, thread) {
  reader_.emplace(context.stream, context.subsampler, piece, EpochKey(),
                  window());
}

Worker::Worker(const EpochContext& context, size_t thread)
    : context_(context), thread_(thread) {}

uint64_t Worker::EpochKey() const {
  return CombineKeys(context_.options.seed,
                     static_cast<uint64_t>(context_.epoch));
}

const WordRun* Worker::NextRun() {
  if (context_.rounds != nullptr) return NextRunOfRounds();
  const uint64_t unreported = reader_->words_read() - words_reported_;
  if (unreported >= TrainMonitor::kReportWords) Flush();
  if (!status_.ok() || context_.monitor.aborted()) return nullptr;
  learning_rate_ = context_.monitor.LearningRate(
      context_.monitor.words() + reader_->words_read() - words_reported_);
  return reader_->Next(&run_) ? &run_ : nullptr;
}

const WordRun* Worker::NextRunOfRounds() {
  while (true) {
    if (log_ != nullptr) {
      if (reader_->Next(&run_)) return &run_;
      EndSlice();
    }
    if (const auto slice = context_.rounds->TakeSlice()) {
      log_ = slice->log;
      learning_rate_ = context_.rounds->learning_rate();
      reader_.emplace(context_.stream, context_.subsampler, slice->piece,
                      EpochKey(), window());
    } else if (!context_.rounds->NextRound()) {
      return nullptr;
    }
  }
}

void Worker::EndSlice() {
  log_->words = reader_->words_read();
  log_->examples = recent_.examples;
  log_->loss = recent_.loss;
  log_->input.Sort();
  log_->output.Sort();
  log_->positions.Sort();
  recent_ = {};
  log_ = nullptr;
}

void Worker::Flush() {
  if (context_.rounds != nullptr) return;  // they have it all
  recent_.words = reader_->words_read() - words_reported_;
  words_reported_ = reader_->words_read();
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
