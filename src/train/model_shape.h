// The tables that a training needs, and where they start.

#ifndef FIRTH_TRAIN_MODEL_SHAPE_H_
#define FIRTH_TRAIN_MODEL_SHAPE_H_

#include <cstddef>

#include "firth/train.h"
#include "model/embedding_model.h"

namespace firth {

// n_gram_rows: of the index of the words' n-grams; 0 without subwords.
ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   size_t n_gram_rows);

}  // namespace firth

#endif  // FIRTH_TRAIN_MODEL_SHAPE_H_
