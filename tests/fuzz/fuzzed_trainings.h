// The fuzzed readers of checkpoints, one a kind of training; fuzzed_readers.cc
// lists them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"

namespace firth {

// A training that is saved or goes on, as the options say.
using Training = absl::Status (*)(const Checkpointing&);

absl::Status TrainSmallVectors(const Checkpointing& saving);

// Goes on with the training in a folder that holds these bytes as its one
// checkpoint.
absl::Status Resume(Training training, absl::string_view bytes);
// The checkpoints that the training leaves.
std::vector<std::string> SavedBy(Training training);

template <Training kTraining>
absl::Status ReadCheckpoint(absl::string_view bytes) {
  return Resume(kTraining, bytes);
}
template <Training kTraining>
std::vector<std::string> CheckpointSeeds() {
  return SavedBy(kTraining);
}

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_
