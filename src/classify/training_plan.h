// What of a training is known before it starts: its parts, epochs and phases,
// and the memory that it takes.
//
// In each phase but the last, a fold of the texts is held out, which tells what
// the scores of the others' model mean; the last one learns from all texts.

#ifndef FIRTH_SRC_CLASSIFY_TRAINING_PLAN_H_
#define FIRTH_SRC_CLASSIFY_TRAINING_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "firth/classifier.h"

namespace firth {

// Of parts and losses as options have them.
bool HasWide(const ClassifierOptions& options);
bool HasDeep(const ClassifierOptions& options);
LabelLink LinkOf(const ClassifierOptions& options, bool several_labels);
// Passes over so many tokens where options.epochs is 0.
uint64_t AutomaticEpochs(const ClassifierOptions& options, uint64_t tokens);

// How many phases hold texts out.
size_t NumHeldOutFolds(const ClassifierOptions& options, size_t texts);

struct TrainingPhase {
  std::vector<uint32_t> train;     // numbers of texts, rising
  std::vector<uint32_t> held_out;  // likewise; none in the last phase
  uint64_t tokens = 0;             // of `train`
};
// tokens: of each text. hold_out: false where there are other texts to measure
// on.
std::vector<TrainingPhase> PlanPhases(const ClassifierOptions& options,
                                      absl::Span<const uint32_t> tokens,
                                      bool hold_out);

// 0, 1, ... count - 1.
std::vector<uint32_t> AllTexts(size_t count);
// The texts in an order that is drawn.
std::vector<uint32_t> Shuffled(std::vector<uint32_t> texts, uint64_t key);

// Bytes that the tables of a training take.
uint64_t TrainingBytes(const ClassifierOptions& options, size_t features,
                       uint64_t features_of_texts, size_t texts, size_t labels,
                       size_t context_dim);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TRAINING_PLAN_H_
