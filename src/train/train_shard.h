// Trains one worker's share of an epoch.

#ifndef FIRTH_TRAIN_TRAIN_SHARD_H_
#define FIRTH_TRAIN_TRAIN_SHARD_H_

#include "train/worker.h"

namespace firth {

// Trains on all pieces that the worker is given, with the best instruction set
// of this machine. The results are then in worker.status() and worker.done().
void TrainShard(Worker& worker);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_SHARD_H_
