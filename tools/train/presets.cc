#include "train/presets.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/status_macros.h"
#include "firth/vector_training.h"

namespace firth::tools {

void DeclarePreset(OptionSet* options, std::string* target) {
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::string> summaries;
  std::vector<std::string> all_options;
  for (const Preset& preset : Presets()) {
    names.emplace_back(preset.name, preset.name);
    summaries.push_back(absl::StrCat(preset.name, " (", preset.summary, ")"));
    all_options.push_back(absl::StrCat(preset.name, " means ", preset.options));
  }
  options
      ->Choice("preset", target, names,
               absl::StrCat("set defaults for the options that are not given: ",
                            absl::StrJoin(summaries, ", ")))
      .Everyday()
      .details = absl::StrJoin(all_options, ". ");
}

absl::Status ApplyPreset(const std::string& name, const OptionSet& options) {
  for (const Preset& preset : Presets()) {
    if (preset.name != name) continue;
    for (const auto& [option_name, text] : preset.Values()) {
      const Option& option = *options.Find(option_name);
      if (options.Given(option_name)) continue;
      const bool is_switch = option.value_name.empty();
      FIRTH_RETURN_IF_ERROR(option.set(is_switch ? "" : text));
    }
  }
  return absl::OkStatus();
}

}  // namespace firth::tools
