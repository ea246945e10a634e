// Checkpoints: what a training is saved as on its way, to go on from.

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

// The names of checkpoints begin with this.
inline constexpr absl::string_view kCheckpointPrefix = "checkpoint-";

// A checkpoint holds all that the rest of a training depends on: what has been
// learned, where it stands in its text, its options, and checksums of the text
// and of given vectors. Random numbers are drawn by seed and position, so
// nothing else has to be kept. Written beside and renamed; one is removed only
// when two newer ones are on the disk that this training wrote or went on from.
//
// A training stops between two steps for it, for as long as copying takes; the
// copy is written while training goes on. Where memory does not suffice for a
// copy, it waits until all is written. One that is due while the one before is
// still being written is left out, and one that would make the training stand
// still for more than a fiftieth of its time is put off. A loss that is no
// longer finite sends the training back to the last one at half the learning
// rate, once.
struct Checkpointing {
  std::string folder;  // made if it is not there, in one that is; empty: none
  double every_seconds = 600;  // 0: not by time
  double every_share = 0;  // of the whole training, below 1; 0: not by share
  // Write a copy while training goes on; else it waits until all is written.
  bool in_background = true;
  // Goes on from the newest checkpoint of the folder that is whole. With one
  // thread the result is, bit for bit, that of a training never interrupted.
  bool resume = false;
  std::string note;  // in UTF-8; kept with them, for the caller
  // Keeps other trainings off the folder; see ReserveCheckpoints().
  std::shared_ptr<const FileLock> lock;

  absl::Status Validate() const;
};

// How a user asks for checkpoints: the three options of every training.
struct CheckpointFiles {
  std::string folder;         // to save in; empty: none
  std::string every = "10m";  // or "90s", "2h", or "5%" of the training
  std::string resume;         // the folder to go on from, and to save in

  // Errors: InvalidArgument, with the name of the option.
  absl::StatusOr<Checkpointing> Read() const;

  static FieldTable Fields();
};

// Before the text is read, which may take long: makes the folder, sets `lock`,
// which keeps every other training off it until the last copy of the options is
// gone or the process ends, and removes what a training that was killed left
// half written. Does nothing without a folder, or where there is a lock; each
// training calls it for itself. Errors: FailedPrecondition, another training
// saves there; InvalidArgument, there are checkpoints and `resume` is not set;
// those of making the folder.
absl::Status ReserveCheckpoints(Checkpointing* checkpointing);

// The note of the newest checkpoint that is whole. Errors: NotFound (no folder,
// no checkpoint in it), DataLoss (none is whole).
absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder);

}  // namespace firth

#endif  // FIRTH_CHECKPOINT_H_
