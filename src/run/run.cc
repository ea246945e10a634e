// The run stores no values of its own about the quality of the learner. It
// reads the learner's scores, which a checkpoint restores, so patience and the
// best model are the same whether training was interrupted or not.

#include "run/run.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "distributed/agreement.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"

namespace firth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTellEvery(200);

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

size_t BestOf(const std::vector<std::optional<double>>& scores) {
  size_t best = 0;
  double greatest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < scores.size(); ++i) {
    // NaN is not greater than anything.
    if (!scores[i].has_value() || !(*scores[i] > greatest)) continue;
    greatest = *scores[i];
    best = i + 1;
  }
  return best;
}

Run::Run(Learner& learner, const RunOptions& options)
    : learner_(learner), options_(options) {
  if (options.checkpointing.folder.empty()) return;
  checkpoints_ = std::make_unique<Checkpoints>(
      options.checkpointing, options.part, learner, options.hooks);
}

absl::StatusOr<RunReport> Run::Drive() {
  const Clock::time_point start = Clock::now();
  FIRTH_RETURN_IF_ERROR(Begin());
  while (!learner_.done() && HasPatience() && !StopRequested()) {
    FIRTH_RETURN_IF_ERROR(Step());
  }
  report_.stopped_early = !HasPatience();
  report_.interrupted =
      StopRequested() && !learner_.done() && !report_.stopped_early;
  if (checkpoints_ != nullptr) {
    checkpoints_->SaveAndWait(state_);
    report_.checkpoints = checkpoints_->saved();
    report_.checkpoint_seconds = checkpoints_->stalled_seconds();
  }
  if (state_.best != nullptr) {
    CopyValues(state_.best->tensors(), learner_.Learned());
  }
  report_.best = BestOf(learner_.Scores());
  report_.seconds = Seconds(Clock::now() - start);
  return report_;
}

absl::Status Run::Begin() {
  bool resumed = false;
  if (checkpoints_ != nullptr) FIRTH_RETURN_IF_ERROR(checkpoints_->Begin());
  if (checkpoints_ != nullptr && options_.checkpointing.resume) {
    FIRTH_ASSIGN_OR_RETURN(std::optional<RunState> state,
                           checkpoints_->Restore());
    resumed = state.has_value();
    if (resumed) state_ = *std::move(state);
  }
  report_.first_position = learner_.position();
  // Saves a checkpoint to go back to. Its copy also allocates the memory now,
  // which takes longer than any later copy. A checkpoint that was resumed
  // already exists.
  if (checkpoints_ != nullptr && !resumed) checkpoints_->Save(state_);
  if (checkpoints_ != nullptr) checkpoints_->Plan();
  StartClock();
  return absl::OkStatus();
}

absl::Status Run::Step() {
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<bool> measurable = learner_.Advance(*this);
  report_.training_seconds += Seconds(Clock::now() - start);
  if (CanGoBack(measurable.status())) {
    return GoBackAtHalfRate(measurable.status());
  }
  FIRTH_RETURN_IF_ERROR(measurable.status());
  if (*measurable) {
    const absl::Status status = Measure();
    // An interrupt by the user is the only status that is not an error of the
    // learner.
    const bool interrupted = absl::IsCancelled(status) && StopRequested();
    if (!interrupted) FIRTH_RETURN_IF_ERROR(status);
  }
  if (checkpoints_ != nullptr &&
      AnyRank(options_.hooks.ranks, checkpoints_->IsDue())) {
    checkpoints_->Save(state_);
  }
  return absl::OkStatus();
}

absl::Status Run::Measure() {
  FIRTH_ASSIGN_OR_RETURN(std::string line, learner_.Measure());
  const std::vector<std::optional<double>> scores = learner_.Scores();
  if (!scores.empty() && BestOf(scores) == scores.size()) {
    KeepBest();
    if (!line.empty()) line += ", best";
  }
  if (!line.empty() && options_.hooks.progress != nullptr) {
    options_.hooks.progress->OnMilestone(line);
  }
  return absl::OkStatus();
}

// A copy that is being written must not change.
void Run::KeepBest() {
  if (state_.best == nullptr ||
      (checkpoints_ != nullptr && checkpoints_->IsWriting())) {
    state_.best = std::make_shared<TensorCopies>();
  }
  state_.best->CopyFrom(learner_.Learned());
}

bool Run::HasPatience() const {
  if (options_.patience == 0) return true;
  const std::vector<std::optional<double>> scores = learner_.Scores();
  const size_t best = BestOf(scores);
  return best == 0 || scores.size() - best < options_.patience;
}

bool Run::StopRequested() const {
  return AnyRank(options_.hooks.ranks, options_.hooks.StopRequested());
}

bool Run::CanGoBack(const absl::Status& status) const {
  return absl::IsOutOfRange(status) && checkpoints_ != nullptr &&
         state_.rate_factor == 1;
}

absl::Status Run::GoBackAtHalfRate(const absl::Status& cause) {
  state_ = {};  // Frees its memory for the best values of the checkpoint.
  FIRTH_ASSIGN_OR_RETURN(std::optional<RunState> state,
                         checkpoints_->Restore());
  if (!state.has_value()) return cause;
  state_ = *std::move(state);
  state_.rate_factor = 0.5;
  learner_.SetRateFactor(state_.rate_factor);
  StartClock();
  if (options_.hooks.progress != nullptr) {
    options_.hooks.progress->OnWarning(absl::StrCat(
        cause.message(), "; resuming from the checkpoint at word ",
        Thousands(learner_.position()), " with half the learning rate"));
  }
  return absl::OkStatus();
}

bool Run::ShouldPause() const {
  return options_.hooks.StopRequested() ||
         (checkpoints_ != nullptr && checkpoints_->IsDue());
}

void Run::StartClock() {
  start_ = last_told_ = Clock::now();
  start_position_ = last_position_ = learner_.position();
  last_standing_ = {};
}

void Run::Tell(const Standing& standing) {
  const Clock::time_point now = Clock::now();
  const uint64_t position = learner_.position();
  const bool is_first = !has_told_ && position > start_position_;
  if (options_.hooks.progress == nullptr ||
      (!is_first && now - last_told_ < kTellEvery)) {
    return;
  }
  has_told_ = true;
  const auto total = static_cast<double>(learner_.total());
  TrainProgress progress;
  progress.epoch = standing.epoch;
  progress.fraction = static_cast<double>(position) / total;
  progress.words_per_second = static_cast<double>(position - last_position_) /
                              Seconds(now - last_told_);
  if (standing.examples > last_standing_.examples) {
    progress.loss = (standing.loss - last_standing_.loss) /
                    (standing.examples - last_standing_.examples);
  }
  if (standing.has_perplexity) progress.perplexity = std::exp(progress.loss);
  progress.learning_rate = standing.learning_rate;
  progress.seconds_left = Seconds(now - start_) *
                          (total - static_cast<double>(position)) /
                          static_cast<double>(position - start_position_);
  last_told_ = now;
  last_position_ = position;
  last_standing_ = standing;
  options_.hooks.progress->OnTrain(progress);
}

void Run::EndEpoch(const EpochProgress& epoch) {
  if (options_.hooks.progress == nullptr) return;
  options_.hooks.progress->OnEpoch(epoch);
}

}  // namespace firth
