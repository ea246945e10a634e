// Trains several models on one corpus and joins them to one; see
// TrainOptions::views.

#ifndef FIRTH_TRAIN_TRAIN_VIEWS_H_
#define FIRTH_TRAIN_TRAIN_VIEWS_H_

#include "absl/status/statusor.h"
#include "firth/train.h"
#include "train/training.h"

namespace firth {

// The options of the training have views. Errors: those of Train().
absl::StatusOr<TrainedModel> TrainViews(const Training& training);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_VIEWS_H_
