// The engines, and the choice among them.

#ifndef FIRTH_TRAIN_ENGINES_H_
#define FIRTH_TRAIN_ENGINES_H_

#include "firth/train.h"
#include "train/engine.h"

namespace firth {

// Engines of a single process.
const LocalEngineKind& HogwildKind();
const LocalEngineKind& RoundsKind();
// Engines of several ranks.
const EngineKind& ColumnsKind();
const EngineKind& ReplicasKind();

// Returns the kind of the engine that trains with these options.
const EngineKind& KindOf(const TrainOptions& options);

// Does the same as if `distributed` were not set.
const LocalEngineKind& LocalKindOf(const TrainOptions& options);

}  // namespace firth

#endif  // FIRTH_TRAIN_ENGINES_H_
