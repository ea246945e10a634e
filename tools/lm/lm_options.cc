#include "lm/lm_options.h"

#include <string>
#include <vector>

namespace firth::tools {

void LmOptions::Declare(OptionSet* options) {
  std::vector<std::string> names;
  for (const std::string& name : fields_.names()) {
    const std::string& section = fields_.Find(name)->section;
    // Reading has its own of the vocabulary.
    if (section != "Output" && section != "Vocabulary") names.push_back(name);
  }
  options->Fields(&fields_, names);
  options->At("tune-vectors").GoesWith({"vectors"});
  options->At("samples").GoesWith({"head"}, {"sampled", "nce"});
  options->At("char-output").GoesWith({"head"}, {"softmax", "sampled"});
  options->At("valid-every").GoesWith({"valid"});
  options->At("patience").GoesWith({"valid"});
}

void LmOptions::DeclareThreads(OptionSet* options) {
  options->Fields(&fields_, {"threads"});
}

absl::Status LmOptions::Finish(const OptionSet& given, bool has_vectors,
                               bool updates) const {
  if (given.Given("dim") && has_vectors) {
    return absl::InvalidArgumentError(
        "--dim cannot be combined with --vectors, which determine the "
        "dimensions");
  }
  if (training.head == HeadKind::kContinuous && !has_vectors && !updates) {
    return absl::InvalidArgumentError(
        "--head continuous requires --vectors FILE");
  }
  LanguageModelTraining checked = training;
  if (has_vectors)
    checked.head = HeadKind::kSampled;  // they are not loaded yet
  return checked.Validate();
}

}  // namespace firth::tools
