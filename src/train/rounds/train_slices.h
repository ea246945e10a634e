// One thread's share of the rounds of an epoch.

#ifndef FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_
#define FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_

#include "train/rounds/rounds.h"
#include "train/worker.h"

namespace firth {

// Trains on slices of the rounds, by the best instruction set of this machine,
// until they pause or the epoch ends. To be called by all threads of a parallel
// region. The objective is not full softmax, and the model has a composition.
void TrainSlices(const EpochContext& context, Rounds& rounds);

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_TRAIN_SLICES_H_
