// Chooses the options that a user leaves to the library: the size of a step,
// the learning rate, its warm-up, and dropout.

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/learn/training_setup.h"
#include "lm/model/language_model.h"

namespace firth {
namespace {

// The values of the options that can be chosen.
struct Choice {
  int batch = 32;
  int unroll = 20;
  double dropout = 0.1;
  double adam_rate = 0.002;
  int warmup = 0;
};

// Returns the rate for a training run with this optimizer.
double RateOf(OptimizerKind optimizer, double adam_rate) {
  switch (optimizer) {
    case OptimizerKind::kSgd:
      return 3;
    case OptimizerKind::kAdagrad:
      return 0.2;
    case OptimizerKind::kAdam:
      break;
  }
  return adam_rate;
}

// Returns the context of a Transformer, or 0 for other layers.
int ContextOf(const LanguageModelTraining& training) {
  BiLanguageModel* const start = StartOf(training);
  if (start == nullptr) {
    return training.network == NetworkKind::kTransformer ? training.context : 0;
  }
  const auto* const blocks =
      std::get_if<nn::TransformerLayers>(&start->options().layers);
  return blocks == nullptr ? 0 : static_cast<int>(blocks->context);
}

// Sets an option that has the automatic value, and adds its name to `chosen`.
template <class Value>
void Choose(const char* name, Value automatic, Value value, Value* option,
            std::vector<std::string>* chosen) {
  if (*option != automatic) return;
  *option = value;
  chosen->emplace_back(name);
}

}  // namespace

std::vector<std::string> ChooseOptions(const Corpus& /*text*/,
                                       LanguageModelTraining* training) {
  Choice choice;
  const int context = ContextOf(*training);
  if (context > 0) choice.unroll = context;
  std::vector<std::string> chosen;
  Choose("batch", 0, choice.batch, &training->batch, &chosen);
  Choose("unroll", 0, choice.unroll, &training->unroll, &chosen);
  Choose("dropout", -1.0, choice.dropout, &training->dropout, &chosen);
  Choose("learning-rate", 0.0, RateOf(training->optimizer, choice.adam_rate),
         &training->learning_rate, &chosen);
  Choose("warmup", -1, choice.warmup, &training->warmup, &chosen);
  return chosen;
}

}  // namespace firth
