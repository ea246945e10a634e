// The tables that a training run needs, and their starting values.

#ifndef FIRTH_TRAIN_MODEL_SHAPE_H_
#define FIRTH_TRAIN_MODEL_SHAPE_H_

#include <cstddef>

#include "firth/train.h"
#include "model/embedding_model.h"

namespace firth {

// Returns the shape of a model. `n_gram_rows` is the number of rows in the
// index of the words' n-grams, 0 without subwords.
ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   size_t n_gram_rows);

}  // namespace firth

#endif  // FIRTH_TRAIN_MODEL_SHAPE_H_
