#include "train/hogwild_trainer.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "train/normalization.h"
#include "train/piece_queue.h"
#include "train/train_shard.h"
#include "train/worker.h"

namespace firth {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

uint64_t CountWords(const TokenStream& stream, StreamPiece piece) {
  const auto tokens =
      stream.tokens().subspan(piece.begin, piece.end - piece.begin);
  return tokens.size() -
         static_cast<uint64_t>(std::count(tokens.begin(), tokens.end(),
                                          TokenStream::kSentenceEnd));
}

// Enough words to forget the cost of a start, few enough that a stop is soon:
// a full softmax takes milliseconds a word. Of a short text each thread is to
// have some.
uint64_t PieceTokens(const TrainOptions& options, StreamPiece whole,
                     int threads) {
  const bool slow =
      std::holds_alternative<FullSoftmaxOptions>(options.objective);
  const uint64_t most = slow ? 2048 : 16384;
  const uint64_t share =
      (whole.end - whole.begin) / (4 * static_cast<uint64_t>(threads));
  return std::clamp<uint64_t>(share, 256, most);
}

StreamPiece HeldOut(const TrainOptions& options, const TokenStream& stream) {
  if (std::holds_alternative<NceOptions>(options.objective)) {
    return HeldOutPiece(stream);
  }
  return {stream.tokens().size(), stream.tokens().size()};
}

}  // namespace

HogwildTrainer::HogwildTrainer(const TrainOptions& options,
                               const TokenStream& stream,
                               const Vocabulary& vocabulary,
                               const ObjectiveTables& tables,
                               EmbeddingModel& model, const Hooks& hooks,
                               CheckpointFolder* checkpoints)
    : options_(options),
      stream_(stream),
      tables_(tables),
      model_(model),
      hooks_(hooks),
      checkpoints_(checkpoints),
      subsampler_(vocabulary.counts(), options.sample),
      held_out_(HeldOut(options, stream)),
      trained_{0, held_out_.begin},
      trained_words_(stream.num_words() - CountWords(stream, held_out_)),
      threads_(options.threads > 0 ? options.threads : omp_get_num_procs()),
      monitor_(LearningRateSchedule(
                   options.learning_rate > 0 ? options.learning_rate
                                             : DefaultLearningRate(options),
                   options.min_learning_rate,
                   std::max<uint64_t>(1, trained_words_ * static_cast<uint64_t>(
                                                              options.epochs))),
               std::max<uint64_t>(
                   1, trained_words_ * static_cast<uint64_t>(options.epochs)),
               hooks) {}

absl::Status HogwildTrainer::Restore() {
  if (checkpoints_ == nullptr || !checkpoints_->options().resume) {
    return absl::OkStatus();
  }
  FIRTH_ASSIGN_OR_RETURN(std::optional<TrainingState> state,
                         checkpoints_->Restore(&model_, hooks_.progress));
  if (!state.has_value()) return absl::OkStatus();
  state_ = *std::move(state);
  monitor_.GoOnFrom(state_.words, state_.rate_factor);
  return absl::OkStatus();
}

bool HogwildTrainer::IsCheckpointDue() const {
  return monitor_.words() >= next_checkpoint_words_ ||
         Clock::now() >= next_checkpoint_;
}

void HogwildTrainer::PlanCheckpoint() {
  if (checkpoints_ == nullptr) return;
  const Checkpointing& options = checkpoints_->options();
  if (options.every_seconds > 0) {
    next_checkpoint_ =
        Clock::now() +
        std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(options.every_seconds));
  }
  if (options.every_share > 0) {
    const auto every = std::max<uint64_t>(
        1, static_cast<uint64_t>(options.every_share *
                                 static_cast<double>(monitor_.total_words())));
    next_checkpoint_words_ = (monitor_.words() / every + 1) * every;
  }
}

absl::Status HogwildTrainer::TrainOn() {
  const Clock::time_point start = Clock::now();
  const EpochContext context{options_,
                             stream_,
                             subsampler_,
                             tables_,
                             model_,
                             monitor_,
                             static_cast<int>(state_.epoch),
                             threads_};
  PieceQueue pieces({trained_.begin + state_.token, trained_.end},
                    PieceTokens(options_, trained_, threads_));
  absl::Status status;
#pragma omp parallel num_threads(threads_)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    WorkDone done;
    absl::Status failed;
    while (!monitor_.ShouldStop() && !IsCheckpointDue()) {
      const std::optional<StreamPiece> piece = pieces.Next();
      if (!piece.has_value()) break;
      Worker worker(context, *piece, thread);
      TrainShard(worker);
      failed.Update(worker.status());
      done.loss += worker.done().loss;
      done.examples += worker.done().examples;
    }
#pragma omp critical
    {
      status.Update(failed);
      state_.sums.loss += done.loss;
      state_.sums.examples += done.examples;
    }
  }
  state_.token = pieces.position() - trained_.begin;
  state_.words = monitor_.words();
  state_.sums.seconds += SecondsSince(start);
  return status;
}

void HogwildTrainer::EndEpoch() {
  EpochReport& report = state_.sums;
  if (report.examples > 0) {
    report.loss /= static_cast<double>(report.examples);
  }
  if (model_.has_output_bias()) {
    report.normalization =
        MeasureNormalization(stream_, subsampler_, held_out_, options_, model_);
  }
  state_.epochs.push_back(report);
  state_.sums = {};
  state_.token = 0;
  ++state_.epoch;
}

bool HogwildTrainer::CanHalveRate(const absl::Status& status) const {
  return absl::IsOutOfRange(status) && checkpoints_ != nullptr &&
         state_.rate_factor == 1;
}

absl::Status HogwildTrainer::HalveRate(const absl::Status& cause) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<TrainingState> state,
                         checkpoints_->Restore(&model_, hooks_.progress));
  if (!state.has_value()) return cause;
  state_ = *std::move(state);
  state_.rate_factor = 0.5;
  monitor_.GoOnFrom(state_.words, state_.rate_factor);
  if (hooks_.progress != nullptr) {
    hooks_.progress->OnWarning(
        absl::StrCat(cause.message(), "; going back to the checkpoint at word ",
                     state_.words, ", with half the learning rate"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TrainReport> HogwildTrainer::Run() {
  const Clock::time_point start = Clock::now();
  FIRTH_RETURN_IF_ERROR(Restore());
  const uint64_t words_before = state_.words;
  double training_seconds = 0;
  if (checkpoints_ != nullptr && words_before == 0) {
    checkpoints_->Save(state_, model_, hooks_.progress);  // to come back to
  }
  PlanCheckpoint();
  const auto epochs = static_cast<uint64_t>(options_.epochs);
  while (state_.epoch < epochs && !monitor_.ShouldStop()) {
    const Clock::time_point begin = Clock::now();
    const absl::Status status = TrainOn();
    training_seconds += SecondsSince(begin);
    if (CanHalveRate(status)) {
      FIRTH_RETURN_IF_ERROR(HalveRate(status));
      continue;
    }
    FIRTH_RETURN_IF_ERROR(status);
    if (trained_.begin + state_.token == trained_.end) EndEpoch();
    if (checkpoints_ != nullptr && IsCheckpointDue()) {
      checkpoints_->Save(state_, model_, hooks_.progress);
      PlanCheckpoint();
    }
  }
  if (checkpoints_ != nullptr) {
    checkpoints_->SaveAndWait(state_, model_, hooks_.progress);
  }
  return Report(words_before, SecondsSince(start), training_seconds);
}

TrainReport HogwildTrainer::Report(uint64_t words_before, double seconds,
                                   double training_seconds) {
  TrainReport report;
  report.threads = threads_;
  report.held_out_words = stream_.num_words() - trained_words_;
  report.epochs = state_.epochs;
  if (state_.sums.examples > 0) {  // of an epoch that was interrupted
    report.epochs.push_back(state_.sums);
    report.epochs.back().loss /= static_cast<double>(state_.sums.examples);
  }
  report.interrupted = monitor_.interrupted();
  report.words = monitor_.words();
  report.resumed_words = words_before;
  report.seconds = seconds;
  report.words_per_second = static_cast<double>(report.words - words_before) /
                            std::max(training_seconds, 1e-9);
  if (checkpoints_ != nullptr) {
    report.checkpoints = checkpoints_->saved();
    report.checkpoint_seconds = checkpoints_->stalled_seconds();
  }
  return report;
}

}  // namespace firth
