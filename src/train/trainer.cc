#include "train/trainer.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/threads.h"
#include "firth/thousands.h"
#include "model/model_tables.h"
#include "train/normalization.h"
#include "train/piece_queue.h"
#include "train/rounds/train_slices.h"
#include "train/train_shard.h"
#include "train/worker.h"

namespace firth {
namespace {

// The share of its time that a training may stand still for checkpoints.
constexpr double kMostStall = 0.02;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
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

// Full softmax steps on all rows of the output table: its rounds would be of
// one batch each, and it works on one thread instead.
bool UsesRounds(const TrainOptions& options) {
  return options.deterministic &&
         !std::holds_alternative<FullSoftmaxOptions>(options.objective);
}

int ThreadsOf(const TrainOptions& options) {
  if (options.deterministic && !UsesRounds(options)) return 1;
  return NumThreads(options.threads);
}

// Greater is better.
std::optional<double> Goodness(const EpochReport& epoch) {
  if (epoch.score.has_value()) return epoch.score;
  if (epoch.held_out_loss.has_value()) return -*epoch.held_out_loss;
  return std::nullopt;
}

// From 1; 0: none was measured. A tie goes to the earlier one.
size_t BestEpoch(const std::vector<EpochReport>& epochs) {
  size_t best = 0;
  double greatest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < epochs.size(); ++i) {
    const std::optional<double> goodness = Goodness(epochs[i]);
    if (!goodness.has_value() || *goodness <= greatest) continue;
    greatest = *goodness;
    best = i + 1;
  }
  return best;
}

StreamPiece HeldOut(const TrainOptions& options, const TokenStream& stream) {
  if (std::holds_alternative<NceOptions>(options.objective)) {
    return HeldOutPiece(stream);
  }
  return {stream.tokens().size(), stream.tokens().size()};
}

}  // namespace

Trainer::Trainer(const TrainOptions& options, const TokenStream& stream,
                 const Vocabulary& vocabulary, const ObjectiveTables& tables,
                 EmbeddingModel& model, const Hooks& hooks,
                 const Validation& validation, CheckpointFolder* checkpoints)
    : options_(options),
      stream_(stream),
      vocabulary_(vocabulary),
      tables_(tables),
      model_(model),
      hooks_(hooks),
      validation_(validation),
      checkpoints_(checkpoints),
      subsampler_(vocabulary.counts(), options.sample),
      held_out_(HeldOut(options, stream)),
      trained_{0, held_out_.begin},
      trained_words_(stream.num_words() - CountWords(stream, held_out_)),
      threads_(ThreadsOf(options)),
      round_shape_(UsesRounds(options)
                       ? ShapeOfRounds(subsampler_, vocabulary.counts())
                       : RoundShape()),
      monitor_(LearningRateSchedule(
                   options.learning_rate > 0 ? options.learning_rate
                                             : DefaultLearningRate(options),
                   options.min_learning_rate,
                   std::max<uint64_t>(1, trained_words_ * static_cast<uint64_t>(
                                                              options.epochs))),
               std::max<uint64_t>(
                   1, trained_words_ * static_cast<uint64_t>(options.epochs)),
               hooks) {}

absl::Status Trainer::Restore() {
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

bool Trainer::IsCheckpointDue() const {
  const Clock::time_point now = Clock::now();
  return now >= earliest_checkpoint_ &&
         (monitor_.words() >= next_checkpoint_words_ ||
          now >= next_checkpoint_);
}

void Trainer::PlanCheckpoint() {
  if (checkpoints_ == nullptr) return;
  const Checkpointing& options = checkpoints_->options();
  if (options.every_seconds > 0) {
    next_checkpoint_ = After(options.every_seconds);
  }
  if (options.every_share > 0) {
    const auto every = std::max<uint64_t>(
        1, static_cast<uint64_t>(options.every_share *
                                 static_cast<double>(monitor_.total_words())));
    next_checkpoint_words_ = (monitor_.words() / every + 1) * every;
  }
}

absl::Status Trainer::TrainOn() {
  const Clock::time_point start = Clock::now();
  absl::Status status = UsesRounds(options_) ? TrainRounds() : TrainPieces();
  state_.words = monitor_.words();
  state_.sums.seconds += SecondsSince(start);
  return status;
}

StreamPiece Trainer::RestOfEpoch() const {
  return {trained_.begin + state_.token, trained_.end};
}

EpochContext Trainer::Context() {
  return {options_,
          stream_,
          subsampler_,
          tables_,
          model_,
          monitor_,
          static_cast<int>(state_.epoch),
          threads_};
}

absl::Status Trainer::TrainPieces() {
  const EpochContext context = Context();
  PieceQueue pieces(RestOfEpoch(), PieceTokens(options_, trained_, threads_));
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
  return status;
}

absl::Status Trainer::TrainRounds() {
  Rounds rounds(
      round_shape_, RestOfEpoch(), static_cast<int>(state_.epoch),
      [this] { return monitor_.ShouldStop() || IsCheckpointDue(); }, model_,
      monitor_, &state_.probes);
  const EpochContext context = Context();
#pragma omp parallel num_threads(threads_)
  TrainSlices(context, rounds);
  state_.token = rounds.position() - trained_.begin;
  state_.sums.loss += rounds.done().loss;
  state_.sums.examples += rounds.done().examples;
  return rounds.TakeStatus();
}

absl::Status Trainer::EndEpoch() {
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
  return validation_.enabled() ? Validate() : absl::OkStatus();
}

// At a learning rate of 0 nothing moves, whoever steps on it at the same time.
std::optional<double> Trainer::HeldOutLoss() {
  const TokenStream& text = *validation_.text->tokens;
  const StreamPiece whole{0, text.tokens().size()};
  TrainMonitor still(LearningRateSchedule(0, 0, 1), 1, {});
  // Windows and noise are drawn alike after each epoch.
  const EpochContext context{options_,     text,    subsampler_,
                             tables_,      model_,  still,
                             /*epoch=*/-1, threads_};
  const uint64_t tokens = PieceTokens(options_, whole, threads_);
  std::vector<WorkDone> pieces((whole.end + tokens - 1) / tokens);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
  for (size_t i = 0; i < pieces.size(); ++i) {
    const uint64_t begin = i * tokens;
    Worker worker(context, {begin, std::min(begin + tokens, whole.end)},
                  static_cast<size_t>(omp_get_thread_num()));
    TrainShard(worker);
    pieces[i] = worker.done();
  }
  double loss = 0;
  double examples = 0;
  for (const WorkDone& piece : pieces) {
    loss += piece.loss;
    examples += static_cast<double>(piece.examples);
  }
  if (examples == 0) return std::nullopt;  // all thinned out
  return loss / examples;
}

absl::Status Trainer::Validate() {
  EpochReport& report = state_.epochs.back();
  std::string line = absl::StrCat("  valid    epoch ", state_.epoch, ":");
  if (validation_.text != nullptr) {
    report.held_out_loss = HeldOutLoss();
    if (report.held_out_loss.has_value()) {
      absl::StrAppendFormat(&line, " loss %.4f", *report.held_out_loss);
    } else {
      line += " no loss, as --sample left no words";
    }
  }
  if (validation_.score) {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           model_.Snapshot(vocabulary_));
    FIRTH_ASSIGN_OR_RETURN(report.score, validation_.score(vectors));
    absl::StrAppendFormat(&line, " score %.2f", *report.score);
  }
  if (BestEpoch(state_.epochs) == state_.epochs.size()) {
    state_.best = std::make_shared<const ModelTables>(CopyTables(model_));
    line += ", best";
  }
  if (hooks_.progress != nullptr) hooks_.progress->OnMilestone(line);
  return absl::OkStatus();
}

uint64_t Trainer::EpochsWithoutBetter() const {
  const size_t best = BestEpoch(state_.epochs);
  return best == 0 ? 0 : state_.epochs.size() - best;
}

bool Trainer::HasPatience() const {
  return validation_.patience == 0 ||
         EpochsWithoutBetter() < static_cast<uint64_t>(validation_.patience);
}

bool Trainer::CanHalveRate(const absl::Status& status) const {
  return absl::IsOutOfRange(status) && checkpoints_ != nullptr &&
         state_.rate_factor == 1;
}

absl::Status Trainer::HalveRate(const absl::Status& cause) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<TrainingState> state,
                         checkpoints_->Restore(&model_, hooks_.progress));
  if (!state.has_value()) return cause;
  state_ = *std::move(state);
  state_.rate_factor = 0.5;
  monitor_.GoOnFrom(state_.words, state_.rate_factor);
  if (hooks_.progress != nullptr) {
    hooks_.progress->OnWarning(
        absl::StrCat(cause.message(), "; going back to the checkpoint at word ",
                     Thousands(state_.words), ", with half the learning rate"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TrainReport> Trainer::Run() {
  const Clock::time_point start = Clock::now();
  FIRTH_RETURN_IF_ERROR(Restore());
  const uint64_t words_before = state_.words;
  double training_seconds = 0;
  if (checkpoints_ != nullptr && words_before == 0) {
    // To come back to. The memory for copies is taken now, which takes longer
    // than any copying later.
    checkpoints_->Save(state_, model_, hooks_.progress);
  }
  PlanCheckpoint();
  const auto epochs = static_cast<uint64_t>(options_.epochs);
  while (state_.epoch < epochs && HasPatience() && !monitor_.ShouldStop()) {
    const Clock::time_point begin = Clock::now();
    const absl::Status status = TrainOn();
    training_seconds += SecondsSince(begin);
    if (CanHalveRate(status)) {
      FIRTH_RETURN_IF_ERROR(HalveRate(status));
      continue;
    }
    FIRTH_RETURN_IF_ERROR(status);
    if (trained_.begin + state_.token == trained_.end) {
      FIRTH_RETURN_IF_ERROR(EndEpoch());
    }
    if (checkpoints_ != nullptr && IsCheckpointDue()) {
      checkpoints_->Save(state_, model_, hooks_.progress);
      if (checkpoints_->options().in_background) {
        earliest_checkpoint_ =
            After(checkpoints_->last_stall_seconds() / kMostStall);
      }
      PlanCheckpoint();
    }
  }
  if (checkpoints_ != nullptr) {
    checkpoints_->SaveAndWait(state_, model_, hooks_.progress);
  }
  if (state_.best != nullptr) SetTables(*state_.best, &model_);
  return Report(words_before, SecondsSince(start), training_seconds);
}

TrainReport Trainer::Report(uint64_t words_before, double seconds,
                            double training_seconds) {
  TrainReport report;
  report.threads = threads_;
  report.held_out_words = stream_.num_words() - trained_words_;
  report.epochs = state_.epochs;
  if (state_.sums.examples > 0) {  // of an epoch that was interrupted
    report.epochs.push_back(state_.sums);
    report.epochs.back().loss /= static_cast<double>(state_.sums.examples);
  }
  report.best_epoch = BestEpoch(state_.epochs);
  report.stopped_early = !HasPatience();
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
