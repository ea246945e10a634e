// Run: trains from the start, or from a checkpoint, to the end.
//
//   until done, out of patience, or asked to stop:
//     the learner advances to a point to measure at, or to a pause
//     if values are no longer finite: once, go back at half the learning rate
//     at a point to measure at: measure, and keep the best
//     if it is time: save
//   save, and put the best into the learner

#ifndef FIRTH_RUN_RUN_H_
#define FIRTH_RUN_RUN_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/checkpoint.h"
#include "firth/progress.h"
#include "run/checkpoints.h"
#include "run/learner.h"

namespace firth {

struct RunOptions {
  Hooks hooks;
  // Must be reserved; see ReserveCheckpoints().
  Checkpointing checkpointing;
  // Number of this part of a training run with several, from 1; 0 if it is the
  // only one.
  size_t part = 0;
  // Training stops after this many measurements without improvement; 0 disables
  // this.
  uint64_t patience = 0;
};

struct RunReport {
  // Position from which it resumed; 0 if it did not.
  uint64_t first_position = 0;
  double seconds = 0;
  double training_seconds = 0;  // Seconds without measuring and saving.
  // Number of the measurement that found the best model, from 1; 0 if there was
  // none.
  size_t best = 0;
  uint64_t checkpoints = 0;       // Number of checkpoints written.
  double checkpoint_seconds = 0;  // Seconds for which training waited for them.
  bool stopped_early = false;     // Whether patience was exhausted.
  bool interrupted = false;
};

// Returns the number of the best score, from 1, or 0 if there is none. Ties go
// to the earlier one.
size_t BestOf(const std::vector<std::optional<double>>& scores);

class Run : public RunControl {
 public:
  // Borrows the learner and the options.
  Run(Learner& learner, const RunOptions& options);

  // Errors: those of the learner, and those of resuming from a checkpoint.
  absl::StatusOr<RunReport> Drive();

  bool ShouldPause() const override;
  void Tell(const Standing& standing) override;
  void EndEpoch(const EpochProgress& epoch) override;

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Begin();
  absl::Status Step();
  absl::Status Measure();
  void KeepBest();
  bool HasPatience() const;
  // Returns whether the user asked any rank to stop.
  bool StopRequested() const;
  bool CanGoBack(const absl::Status& status) const;
  absl::Status GoBackAtHalfRate(const absl::Status& cause);
  // Starts the measurement of speed.
  void StartClock();

  Learner& learner_;
  const RunOptions& options_;
  std::unique_ptr<Checkpoints> checkpoints_;  // Null if there are none.
  RunState state_;
  RunReport report_;
  // State of the reports to the user.
  Clock::time_point start_;
  uint64_t start_position_ = 0;
  bool has_told_ = false;
  Clock::time_point last_told_;
  uint64_t last_position_ = 0;
  Standing last_standing_;
};

}  // namespace firth

#endif  // FIRTH_RUN_RUN_H_
