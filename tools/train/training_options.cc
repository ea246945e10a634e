#include "train/training_options.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "firth/vector_training.h"

namespace firth::tools {

void TrainingOptions::Declare(OptionSet* options) {
  std::vector<std::string> names = fields_.names();
  names.erase(std::find(names.begin(), names.end(), "threads"));
  options->Fields(&fields_, names);
  options->At("subword-index").default_text =
      "none, or buckets if --min-n, --max-n or --buckets is given";
  options->At("min-n").help +=
      ". If --subword-index is not given, it is then set to buckets";
}

void TrainingOptions::Complete(const OptionSet& given) {
  CompleteTraining(
      &fields_, [&given](absl::string_view name) { return given.Given(name); });
}

absl::Status TrainingOptions::Finish(const OptionSet& given, int threads) {
  if (!options_.views.empty() && given.Given("window")) {
    return absl::InvalidArgumentError(
        "--window cannot be combined with --views, which give the windows");
  }
  options_.threads = threads;
  if (options_.learning_rate == 0) {
    options_.learning_rate = DefaultLearningRate(options_);
  }
  return options_.Validate();
}

absl::Status TrainingOptions::SetDim(const OptionSet& given, size_t dim) {
  if (given.Given("dim") && static_cast<size_t>(options_.dim) != dim) {
    return absl::InvalidArgumentError(
        absl::StrCat("--dim ", options_.dim, ": the vectors of --init have ",
                     dim, " dimensions; omit --dim or give ", dim));
  }
  options_.dim = static_cast<int>(dim);
  return options_.Validate();
}

bool TrainingOptions::has_subwords() const {
  return !std::holds_alternative<NoSubwords>(options_.subwords);
}

int TrainingOptions::total_epochs() const {
  const auto trainings = static_cast<int>(options_.views.size());
  return options_.epochs * (trainings > 0 ? trainings : 1);
}

}  // namespace firth::tools
