// From the options of a training to the model that it starts with.

#ifndef FIRTH_LM_TRAINING_SETUP_H_
#define FIRTH_LM_TRAINING_SETUP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/language_model.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"

namespace firth {

// All of these take options that are valid.

// What is trained further; null: nothing.
BiLanguageModel* StartOf(const LanguageModelTraining& training);

// `text` is of pieces where training.start reads these. Errors:
// ResourceExhausted, more memory than there is; InvalidArgument, a word that
// stands twice in training.vectors; FailedPrecondition, a start without a head.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> MakeFirstModel(
    const LanguageModelTraining& training, const Corpus& text);

// Whether the training shows such a model pairs of a text.
bool LearnsPairs(const LanguageModelTraining& training,
                 const LanguageModelOptions& model);

// The steps of a chunk of a model with these layers.
size_t UnrollOf(const LanguageModelTraining& training,
                const nn::LayersOptions& layers);

nn::OptimizerOptions OptimizerOf(const LanguageModelTraining& training);

nn::Schedule ScheduleOf(const LanguageModelTraining& training, uint64_t steps);

// Everything that the result depends on, as JSON: what must be the same when a
// training goes on from a checkpoint.
std::string Fingerprint(const LanguageModelTraining& training,
                        const Corpus& text);

}  // namespace firth

#endif  // FIRTH_LM_TRAINING_SETUP_H_
