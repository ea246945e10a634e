#include "train/engines.h"

namespace firth {

// The first engine that fits is used.

const EngineKind& KindOf(const TrainOptions& options) {
  for (const EngineKind* const kind : {&ColumnsKind(), &ReplicasKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return LocalKindOf(options);
}

const LocalEngineKind& LocalKindOf(const TrainOptions& options) {
  for (const LocalEngineKind* const kind : {&RoundsKind()}) {
    if (kind->Fits(options)) return *kind;
  }
  return HogwildKind();
}

}  // namespace firth
