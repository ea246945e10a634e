// The plan of a training run, computed before it starts: parts, epochs, phases
// and memory.
//
// In each phase except the last, a fold of the texts is held out, and is used
// to calibrate the scores of a model trained on the others. The last phase
// trains on all texts.

#ifndef FIRTH_CLASSIFY_TRAIN_TRAINING_PLAN_H_
#define FIRTH_CLASSIFY_TRAIN_TRAINING_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "classify/model/classifier_model.h"
#include "firth/classifier.h"
#include "firth/labelled_text.h"

namespace firth {

// Returns whether only the deep part supports the loss.
bool IsDeepLoss(const LabelLoss& loss);
// Return the parts and the link that the options select.
bool HasWide(const ClassifierOptions& options);
bool HasDeep(const ClassifierOptions& options);
LabelLink LinkOf(const ClassifierOptions& options, bool several_labels);
// Returns the number of passes over this many tokens if options.epochs is 0.
uint64_t AutomaticEpochs(const ClassifierOptions& options, uint64_t tokens);

// Returns how many phases hold out texts.
size_t NumHeldOutFolds(const ClassifierOptions& options, size_t texts);

struct TrainingPhase {
  std::vector<uint32_t> train;     // indexes of texts, ascending
  std::vector<uint32_t> held_out;  // likewise; empty in the last phase
  uint64_t tokens = 0;             // number of tokens in `train`
};
// Plans the phases. `tokens` has the number of tokens of each text. `hold_out`
// is false if there are validation texts.
std::vector<TrainingPhase> PlanPhases(const ClassifierOptions& options,
                                      absl::Span<const uint32_t> tokens,
                                      bool hold_out);

// Returns 0, 1, ... count - 1.
std::vector<uint32_t> AllTexts(size_t count);
// Returns the texts in a random order.
std::vector<uint32_t> Shuffled(std::vector<uint32_t> texts, uint64_t key);

// Returns the number of bytes that the tables of a training run take.
uint64_t TrainingBytes(const ClassifierOptions& options, size_t features,
                       uint64_t features_of_texts, size_t texts, size_t labels,
                       size_t context_dim);

struct FeatureEstimate {
  uint64_t tokens = 0;    // exact
  uint64_t features = 0;  // number of features that have a row
  // An upper bound for all texts together. A feature counts again in each text.
  uint64_t occurrences = 0;
};

// Counts all words, and one n-gram in 16, selected by its hash. For 100,000
// n-grams, the standard deviation is 1.3%. The same texts give the same
// estimate.
FeatureEstimate EstimateFeatures(absl::Span<const LabelledText> texts,
                                 const ClassifierOptions& options);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_TRAINING_PLAN_H_
