// What a training will take, term by term.

#ifndef FIRTH_TRAIN_MEMORY_ESTIMATE_H_
#define FIRTH_TRAIN_MEMORY_ESTIMATE_H_

#include <cstddef>
#include <cstdint>

#include "firth/progress.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/train_views.h"

namespace firth {

// What the options alone do not say.
struct TrainingSize {
  ModelShape shape;
  uint64_t composition_bytes = 0;  // n-grams of the words, made already
  size_t other_words = 0;  // joined to those of the corpus when it is learnt
  // The best one so far, and what replicas had at their last exchange.
  uint64_t more_models = 0;
  bool copies_tables = false;  // to write checkpoints in the background
  ViewPlace place;
};

MemoryEstimate EstimateMemory(const TrainOptions& options,
                              const TrainingSize& size);

}  // namespace firth

#endif  // FIRTH_TRAIN_MEMORY_ESTIMATE_H_
