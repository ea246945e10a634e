#include "train/phrase_options.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace firth::tools {
namespace {

const std::vector<std::string>& Names() {
  static const auto& names = *new std::vector<std::string>{
      "score", "threshold", "min-count", "delimiter", "connectors"};
  return names;
}

}  // namespace

void PhraseSettings::Declare(OptionSet* set) {
  set->Fields(&fields_, Names());
  set->Fields(&fields_, {"passes"});
}

void PhraseSettings::DeclareForTraining(OptionSet* set) {
  constexpr absl::string_view kPrefix = "phrase-";
  set->Fields(&fields_, Names(), kPrefix);
  for (const std::string& name : Names()) {
    set->At(absl::StrCat(kPrefix, name)).GoesWith({"phrases"});
  }
}

void PhraseSettings::Finish(const CorpusOptions& reading) {
  options.threads = reading.threads;
  options.memory_bytes = reading.memory_bytes;
  options.temp_dir = reading.temp_dir;
}

}  // namespace firth::tools
