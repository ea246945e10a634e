// Trains several models on one corpus and joins them into one; see
// TrainOptions::views.

#ifndef FIRTH_TRAIN_TRAIN_VIEWS_H_
#define FIRTH_TRAIN_TRAIN_VIEWS_H_

#include "absl/status/statusor.h"
#include "firth/train.h"
#include "train/training.h"

namespace firth {

// Trains and joins the views of the options. Errors: those of Train().
absl::StatusOr<TrainedModel> TrainViews(const Training& training);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_VIEWS_H_
