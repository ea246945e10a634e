// Several trainings on one corpus, joined to one model: TrainOptions::views.

#ifndef FIRTH_TRAIN_TRAIN_VIEWS_H_
#define FIRTH_TRAIN_TRAIN_VIEWS_H_

#include "absl/status/statusor.h"
#include "firth/train.h"

namespace firth {

// options.views is not empty. Errors: those of Train().
absl::StatusOr<TrainedModel> TrainViews(const Corpus& corpus,
                                        const TrainOptions& options,
                                        const Hooks& hooks,
                                        const Checkpointing& checkpointing,
                                        const Validation& validation);

// Train() of options without views. view: the number in the names of its
// checkpoints.
absl::StatusOr<TrainedModel> TrainOne(
    const Corpus& corpus, const TrainOptions& options, const Hooks& hooks,
    const InitialVectors& initial, const Checkpointing& checkpointing,
    const Validation& validation, size_t view);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_VIEWS_H_
