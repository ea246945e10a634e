// Checkpoints: the saved state of a training run, from which it can resume.

#ifndef FIRTH_CHECKPOINT_H_
#define FIRTH_CHECKPOINT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

class FieldTable;
class FileLock;

// Prefix of the names of all checkpoint files.
inline constexpr absl::string_view kCheckpointPrefix = "checkpoint-";

// Options for writing and resuming from checkpoints.
//
// A checkpoint holds everything on which the rest of the training run depends:
// the parameters, the position in the text, the options, and checksums of the
// text and of given vectors. Random numbers are drawn by seed and position, so
// no generator state is needed. A checkpoint is written under a temporary name
// and then renamed. An old one is removed only when two newer ones are on disk
// that this run wrote or resumed from.
//
// Training pauses between two steps while the state is copied, and continues
// while the copy is written. If memory does not suffice for a copy, training
// waits until the file is written. A checkpoint that is due while the previous
// one is still being written is skipped. One that would make training wait for
// more than a fiftieth of its time is delayed. If the loss is no longer finite,
// training returns once to the last checkpoint, at half the learning rate.
struct Checkpointing {
  // Folder of the checkpoints, created if missing (its parent must exist).
  // Empty disables checkpoints.
  std::string folder;
  double every_seconds = 600;  // Interval in seconds; 0 disables it.
  // Interval as a fraction of the whole training run, below 1; 0 disables it.
  double every_share = 0;
  // Whether a copy is written while training continues. Otherwise training
  // waits until the file is written.
  bool in_background = true;
  // Whether to resume from the newest intact checkpoint in the folder. With one
  // thread the result is bit for bit that of a run that was never interrupted.
  bool resume = false;
  std::string note;  // UTF-8 text stored in each checkpoint for the caller.
  // Lock that keeps other training runs out of the folder; see
  // ReserveCheckpoints().
  std::shared_ptr<const FileLock> lock;

  absl::Status Validate() const;
};

// The three checkpoint options that every training command offers to users.
struct CheckpointFiles {
  std::string folder;  // Folder to save checkpoints in; empty disables them.
  // Interval such as "90s", "2h", or "5%" of the training run.
  std::string every = "10m";
  // Folder to resume from and to save further checkpoints in.
  std::string resume;

  // Converts the options. Errors: InvalidArgument, with the name of the option.
  absl::StatusOr<Checkpointing> Read() const;

  static FieldTable Fields();
};

// Creates the folder and sets `lock`, which keeps other training runs out of
// the folder until the last copy of the options is destroyed or the process
// ends. Also removes partial files left by a run that was killed. Call it
// before reading the text, which may take long. Does nothing without a folder
// or if there is a lock; each training function calls it itself. Errors:
// FailedPrecondition, another run saves there; InvalidArgument, there are
// checkpoints and `resume` is not set; errors of creating the folder.
absl::Status ReserveCheckpoints(Checkpointing* checkpointing);

// Returns the note of the newest intact checkpoint. Errors: NotFound, no folder
// or no checkpoint in it; DataLoss, no checkpoint is intact.
absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder);

}  // namespace firth

#endif  // FIRTH_CHECKPOINT_H_
