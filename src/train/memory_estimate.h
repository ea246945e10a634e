// Estimates the memory that a training run needs.

#ifndef FIRTH_TRAIN_MEMORY_ESTIMATE_H_
#define FIRTH_TRAIN_MEMORY_ESTIMATE_H_

#include <cstddef>
#include <cstdint>

#include "firth/progress.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/engine.h"
#include "train/training.h"

namespace firth {

// Properties of a training run that the options do not contain.
struct TrainingSize {
  ModelShape shape;
  uint64_t composition_bytes = 0;  // N-grams of the words, already in memory.
  size_t other_words = 0;          // Words that are added after training.
  bool keeps_best = false;         // A copy of the best model so far.
  bool copies_tables = false;      // Checkpoints are written in the background.
  int threads = 1;
  EngineMemory engine;
  ViewPlace place;
};

MemoryEstimate EstimateMemory(const TrainOptions& options,
                              const TrainingSize& size);

}  // namespace firth

#endif  // FIRTH_TRAIN_MEMORY_ESTIMATE_H_
