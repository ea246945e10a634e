// The work of one thread in the rounds of an epoch.

#ifndef FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_
#define FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_

#include "train/rounds/rounds.h"
#include "train/worker.h"

namespace firth {

// Trains on slices of the rounds, with the best instruction set of this
// machine, until they pause or the epoch ends. All threads of a parallel region
// must call it. The objective must not be full softmax, and the model must have
// a composition.
void TrainSlices(const EpochContext& context, Rounds& rounds);

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_
