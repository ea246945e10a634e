// Run: a training from its start, or from a checkpoint, to its end.
//
//   until done, out of patience, or asked to stop:
//     the learner advances to a point to measure at, or to a pause
//     where values are no longer finite: once, back at half the learning rate
//     at a point to measure at: measure, and keep what is best
//     if it is time: save
//   save, and leave what was best in the learner

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
  // Reserved; see ReserveCheckpoints().
  Checkpointing checkpointing;
  size_t part = 0;        // of a training that is several, from 1; 0: it is one
  uint64_t patience = 0;  // stop after so many measurements without a better
                          // one; 0: go on
};

struct RunReport {
  uint64_t first_position = 0;  // where it went on from a checkpoint; 0: it
                                // did not
  double seconds = 0;
  double training_seconds = 0;  // of them, without measuring and saving
  size_t best = 0;  // the measurement whose model it is, from 1; 0: none was
                    // made
  uint64_t checkpoints = 0;       // written
  double checkpoint_seconds = 0;  // that the training waited for them
  bool stopped_early = false;     // patience ran out
  bool interrupted = false;
};

// The best of some scores, from 1; 0: there is none. A tie goes to the earlier
// one.
size_t BestOf(const std::vector<std::optional<double>>& scores);

class Run : public RunControl {
 public:
  // Borrows the learner and the options.
  Run(Learner& learner, const RunOptions& options);

  // Errors: those of the learner; those of going on from a checkpoint.
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
  // Whether the user asks any of the ranks to stop.
  bool StopRequested() const;
  bool CanGoBack(const absl::Status& status) const;
  absl::Status GoBackAtHalfRate(const absl::Status& cause);
  // The speed is told from here on.
  void StartClock();

  Learner& learner_;
  const RunOptions& options_;
  std::unique_ptr<Checkpoints> checkpoints_;  // null: none
  RunState state_;
  RunReport report_;
  // Of what the user was told.
  Clock::time_point start_;
  uint64_t start_position_ = 0;
  bool has_told_ = false;
  Clock::time_point last_told_;
  uint64_t last_position_ = 0;
  Standing last_standing_;
};

}  // namespace firth

#endif  // FIRTH_RUN_RUN_H_
