// Lists the engines and chooses among them.

#ifndef FIRTH_TRAIN_ENGINES_H_
#define FIRTH_TRAIN_ENGINES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/train.h"
#include "train/engine.h"

namespace firth {

// Engines of a single process.
const LocalEngineKind& HogwildKind();
const LocalEngineKind& RoundsKind();
// Engines of several processes.
const EngineKind& ColumnsKind();
const EngineKind& ReplicasKind();

// Returns the kind of the engine that trains with these options.
const EngineKind& KindOf(const TrainOptions& options);

// Does the same, as if `distributed` were not set.
const LocalEngineKind& LocalKindOf(const TrainOptions& options);

// An option with which ranks cannot train together.
struct Refused {
  bool is_set = false;
  absl::string_view name;  // The option whose value the message contains.
  std::string expected;
};

// Checks that no option is refused. `way` is a value of `distributed`. Errors:
// InvalidArgument.
absl::Status CheckNone(absl::string_view way, TrainOptions options,
                       absl::Span<const Refused> all);

}  // namespace firth

#endif  // FIRTH_TRAIN_ENGINES_H_
