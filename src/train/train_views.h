// Several trainings on one corpus, joined to one model: TrainOptions::views.

#ifndef FIRTH_TRAIN_TRAIN_VIEWS_H_
#define FIRTH_TRAIN_TRAIN_VIEWS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "distributed/divided_table.h"
#include "firth/train.h"

namespace firth {

// options.views is not empty. Errors: those of Train().
absl::StatusOr<TrainedModel> TrainViews(const Corpus& corpus,
                                        const TrainOptions& options,
                                        const Hooks& hooks,
                                        const Checkpointing& checkpointing,
                                        const Validation& validation);

// Where a training stands among those of a model.
struct ViewPlace {
  size_t number = 0;  // from 1, as in the names of its checkpoints; 0: alone
  size_t views = 0;   // in all; 0: alone
  size_t joined_dim = 0;
};

// Train() of options without views. `score_file`: with columns, the file in
// which rank 0 joins the vectors that are scored after an epoch. If null, a new
// file is used.
absl::StatusOr<TrainedModel> TrainOne(
    const Corpus& corpus, const TrainOptions& options, const Hooks& hooks,
    const InitialVectors& initial, const Checkpointing& checkpointing,
    const Validation& validation, const ViewPlace& place,
    TableFile* score_file = nullptr);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAIN_VIEWS_H_
