// What a training with other ranks asks before it begins, and what it leaves
// out.

#ifndef FIRTH_TRAIN_TOGETHER_H_
#define FIRTH_TRAIN_TOGETHER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/ranks.h"
#include "firth/train.h"
#include "train/training.h"

namespace firth {

// The ranks that the training is shared with; null: it is one of its own, as
// options.distributed says, or as there is one rank only.
Ranks* OthersOf(const TrainOptions& options, const Hooks& hooks);

// An option with which ranks cannot train together.
struct Refused {
  bool is_set = false;
  absl::string_view name;  // The option whose value the message contains.
  std::string expected;
};

// Checks that no option is refused. Errors: InvalidArgument.
absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all);

// Whether such a training can be shared as the options say. Errors:
// InvalidArgument, the same on all ranks.
absl::Status CheckCanBeShared(const TrainOptions& options, const Hooks& hooks,
                              const InitialVectors& initial);

// Whether all ranks have the same options, but for threads, the same vocabulary
// and initial vectors, and save and measure alike. Errors: FailedPrecondition,
// the same on all, with what differs.
absl::Status CheckSameTraining(Ranks& ranks, const Training& training);

}  // namespace firth

#endif  // FIRTH_TRAIN_TOGETHER_H_
