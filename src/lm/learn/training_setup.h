// Makes the initial model of a training run from its options.

#ifndef FIRTH_LM_LEARN_TRAINING_SETUP_H_
#define FIRTH_LM_LEARN_TRAINING_SETUP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/model/language_model.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"

namespace firth {

// These functions require valid options for which ChooseOptions() was called.

// Returns the model that is trained further, or null if there is none.
BiLanguageModel* StartOf(const LanguageModelTraining& training);

// If training.start reads pieces, `text` must consist of pieces. Errors:
// ResourceExhausted, not enough memory; InvalidArgument, a word that occurs
// twice in training.vectors; FailedPrecondition, a start without a head.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> MakeFirstModel(
    const LanguageModelTraining& training, const Corpus& text);

nn::OptimizerOptions OptimizerOf(const LanguageModelTraining& training);

nn::Schedule ScheduleOf(const LanguageModelTraining& training, uint64_t steps);

// Returns everything that the result depends on, as JSON. It must be the same
// when a training run is resumed from a checkpoint.
std::string Fingerprint(const LanguageModelTraining& training,
                        const Corpus& text);

}  // namespace firth

#endif  // FIRTH_LM_LEARN_TRAINING_SETUP_H_
