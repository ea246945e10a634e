// A training run of word vectors, as the functions of this folder pass it on.

#ifndef FIRTH_TRAIN_TRAINING_H_
#define FIRTH_TRAIN_TRAINING_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/embedding_learner.h"

namespace firth {

// The arguments of Train().
struct Training {
  const Corpus& corpus;
  const TrainOptions& options;
  Hooks hooks;  // Its ranks are null if this process trains alone.
  const InitialVectors& initial;
  Checkpointing checkpointing;
  const Validation& validation;
  // Null if sentences have no rows. Not with n-grams, views, initial vectors or
  // other ranks.
  const SentenceTraining* sentences = nullptr;
};

// The position of a training run among those of TrainOptions::views.
struct ViewPlace {
  // Number of the view, from 1 as in the names of checkpoints; 0 without views.
  size_t number = 0;
  size_t views = 0;  // The number of views, or 0.
  size_t joined_dim = 0;
};

// Does the same as Train() for checked options without views.
absl::StatusOr<TrainedModel> TrainOne(const Training& training,
                                      const ViewPlace& place);

// Trains the models of TrainOptions::views and joins them into one. Errors:
// those of Train().
absl::StatusOr<TrainedModel> TrainViews(const Training& training);

// Returns the shape of a model. `n_gram_rows` is the number of rows in the
// index of the words' n-grams, 0 without subwords.
ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   size_t n_gram_rows);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINING_H_
