// The fuzzed readers of sequence-to-sequence models; fuzzed_readers.cc lists
// them.

#ifndef FIRTH_TESTS_FUZZ_FUZZED_SEQ2SEQ_H_
#define FIRTH_TESTS_FUZZ_FUZZED_SEQ2SEQ_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/checkpoint.h"

namespace firth {

absl::Status TrainSmallSeq2Seq(const Checkpointing& saving);

absl::Status ReadSeq2Seq(absl::string_view bytes);
std::vector<std::string> Seq2SeqSeeds();

absl::Status ReadParallel(absl::string_view bytes);
std::vector<std::string> ParallelSeeds();

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZED_SEQ2SEQ_H_
