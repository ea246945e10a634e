// Presets: names for sets of option values.

#ifndef FIRTH_TOOLS_TRAIN_PRESETS_H_
#define FIRTH_TOOLS_TRAIN_PRESETS_H_

#include <string>

#include "absl/status/status.h"
#include "cli/option_set.h"

namespace firth::tools {

// Declares --preset. `target` is its name; empty: none.
void DeclarePreset(OptionSet* options, std::string* target);

// Gives the options of the preset its values, but for those that the user gave.
absl::Status ApplyPreset(const std::string& preset, const OptionSet& options);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_PRESETS_H_
