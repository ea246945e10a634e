// Checkpoints: what a training is saved as on its way, to go on from.

#ifndef FIRTH_CHECKPOINT_H_
#define FIRTH_CHECKPOINT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace firth {

// A checkpoint holds all that the rest of a training depends on: tables, words
// with their counts, position in the text and in the learning rate's fall,
// options, and checksums of these, of the text and of given initial vectors.
// Random numbers are drawn by seed, epoch and position, so nothing else has to
// be kept. Written beside and renamed; of two the older one is removed only
// when the newer one is on the disk.
//
// A training stops between two pieces of text for it, for as long as copying
// the tables takes; the copy is written while training goes on. Where memory
// does not suffice for a copy, it waits until all is written. One that is due
// while the one before is still being written is left out, and one that would
// make the training stand still for more than a fiftieth of its time is put
// off.
struct Checkpointing {
  std::string folder;          // made if it is not there; empty: none
  double every_seconds = 600;  // 0: not by time
  double every_share = 0;  // of the whole training, below 1; 0: not by share
  // Write a copy while training goes on; else it waits until all is written.
  bool in_background = true;
  // Goes on from the newest checkpoint of the folder that is whole. With one
  // thread the result is, bit for bit, that of a training never interrupted.
  bool resume = false;
  std::string note;  // kept with them, for the caller

  absl::Status Validate() const;
};

// The note of the newest checkpoint that is whole. Errors: NotFound (no folder,
// no checkpoint in it), DataLoss (none is whole).
absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder);

}  // namespace firth

#endif  // FIRTH_CHECKPOINT_H_
