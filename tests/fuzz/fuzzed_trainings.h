// The fuzzed reader of checkpoints of trainings; fuzzed_readers.cc lists it.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_
#define FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

absl::Status ReadCheckpoint(absl::string_view bytes);
std::vector<std::string> CheckpointSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_TRAININGS_H_
