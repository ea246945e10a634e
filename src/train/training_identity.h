// What makes two trainings the same: options, text and initial vectors.

#ifndef FIRTH_TRAIN_TRAINING_IDENTITY_H_
#define FIRTH_TRAIN_TRAINING_IDENTITY_H_

#include "absl/status/status.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "nlohmann/json.hpp"

namespace firth {

// Options by the names that "firth train" has for them, and checksums. Not the
// number of threads, which may change on the way.
nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Corpus& corpus,
                                const InitialVectors& initial);

// Whether a training that is `now` can go on from one that was `before`: there
// may be more epochs now. Errors: InvalidArgument, with all differences.
absl::Status CheckSameTraining(const nlohmann::json& before,
                               const nlohmann::json& now);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINING_IDENTITY_H_
