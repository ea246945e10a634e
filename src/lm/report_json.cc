#include <string>
#include <utility>

#include "base/json.h"
#include "firth/language_model.h"
#include "firth/vector_training.h"
#include "nlohmann/json.hpp"

namespace firth {

std::string ReportJson(const LanguageModelFacts& facts) {
  const LanguageModelReport& training = facts.training;
  OrderedJson validations = OrderedJson::array();
  for (const ValidationPoint& point : training.validations) {
    validations.push_back({{"tokens", point.tokens},
                           {"forward_loss", point.forward_loss},
                           {"backward_loss", point.backward_loss},
                           {"best", point.best}});
  }
  return DumpJson(
      OrderedJson{{"program", "firth"},
                  {"version", FIRTH_VERSION},
                  {"interrupted", training.interrupted},
                  {"stopped_early", training.stopped_early},
                  {"options", OrderedJson::parse(facts.options)},
                  {"corpus", OrderedJson::parse(ReportJson(facts.corpus))},
                  {"vocabulary", training.vocab_size},
                  {"unknown_tokens", training.unknown_tokens},
                  {"parameters", training.parameters},
                  {"tokens", training.tokens},
                  {"steps", training.steps},
                  {"threads", training.threads},
                  {"seconds", training.seconds},
                  {"tokens_per_second", training.tokens_per_second},
                  {"loss", training.losses},
                  {"validations", std::move(validations)}});
}

}  // namespace firth
