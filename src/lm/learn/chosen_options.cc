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

// The values of the options that can be chosen. The defaults are for what was
// not measured: other optimizers than Adam, masked words, and a model that is
// trained further.
struct Choice {
  int tokens = 0;  // Of a step; 0 means 32 rows.
  int unroll = 20;
  double dropout = 0.1;
  double adam_rate = 0.002;
  int warmup = 0;
};

// With few tokens, more steps help more than better gradients.
int TokensOfStep(double trained_tokens) {
  if (trained_tokens < 2e6) return 256;
  return trained_tokens < 8e6 ? 512 : 1024;
}

// A model overfits more if the text is short or read many times.
double DropoutFor(double words, double epochs) {
  if (epochs < 1.5) return 0;
  if (epochs < 2.5 || words > 3e6) return 0.1;
  return epochs < 6 ? 0.2 : 0.3;
}

// Measured with 1, 4 and 20 million tokens:
// docs/measurements/language-models.md.
Choice ChoiceFor(const LanguageModelTraining& training, double words) {
  const bool is_transformer = training.network == NetworkKind::kTransformer;
  if (training.start != nullptr || training.predict != Prediction::kNext ||
      training.optimizer != OptimizerKind::kAdam) {
    return {};
  }
  Choice choice;
  choice.tokens = TokensOfStep(words * training.epochs);
  choice.unroll = 32;
  choice.dropout = DropoutFor(words, training.epochs);
  choice.adam_rate = is_transformer ? 0.002 : 0.005;
  choice.warmup = is_transformer ? 400 : 200;
  return choice;
}

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

std::vector<std::string> ChooseOptions(const Corpus& text,
                                       LanguageModelTraining* training) {
  const auto words = static_cast<double>(text.tokens->num_words());
  Choice choice = ChoiceFor(*training, words);
  const int context = ContextOf(*training);
  if (context > 0) choice.unroll = context;
  const int unroll = training->unroll > 0 ? training->unroll : choice.unroll;
  const int batch =
      choice.tokens == 0 ? 32 : std::max(1, choice.tokens / unroll);
  std::vector<std::string> chosen;
  Choose("batch", 0, batch, &training->batch, &chosen);
  Choose("unroll", 0, choice.unroll, &training->unroll, &chosen);
  Choose("dropout", -1.0, choice.dropout, &training->dropout, &chosen);
  Choose("learning-rate", 0.0, RateOf(training->optimizer, choice.adam_rate),
         &training->learning_rate, &chosen);
  const double steps =
      words * training->epochs / training->batch / training->unroll;
  const double most = std::min<double>(choice.warmup, steps / 10);
  Choose("warmup", -1, static_cast<int>(most), &training->warmup, &chosen);
  return chosen;
}

}  // namespace firth
