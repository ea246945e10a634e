// What makes two trainings the same: options, text, initial vectors and what
// their models are measured on.

#ifndef FIRTH_TRAIN_TRAINING_IDENTITY_H_
#define FIRTH_TRAIN_TRAINING_IDENTITY_H_

#include <cstdint>

#include "firth/corpus.h"
#include "firth/train.h"
#include "nlohmann/json.hpp"

namespace firth {

// Of words and counts, in their order.
uint64_t VocabularySum(const Vocabulary& vocabulary);

// Options by the names that "firth train" has for them, and checksums. Not the
// number of threads, which may change on the way.
nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Corpus& corpus,
                                const InitialVectors& initial,
                                const Validation& validation);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINING_IDENTITY_H_
