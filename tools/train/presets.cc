#include "train/presets.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace firth::tools {
namespace {

struct Preset {
  absl::string_view name;
  absl::string_view summary;
  absl::string_view options;  // as they would be typed
};

// What each value of "best" gives is in docs/recipes.md.
constexpr Preset kPresets[] = {
    {"best", "words and n-grams, the best all-round vectors known",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--directional --views 5,12 --shared-windows 2 --negative 15 "
     "--learning-rate 0.05 --subword-step 0.5 --word-step 0.5 --word-share 0.4 "
     "--add-output 0.3"},
    {"fast", "the shortest training",
     "--arch skipgram --loss ns --shared-windows 2"},
    {"word2vec", "what word2vec.c does without options",
     "--arch cbow --loss ns --cbow-gradient word2vec --negative 5 --dim 100 "
     "--window 5 --sample 1e-3 --min-count 5 --epochs 5 --learning-rate 0.05"},
    {"fasttext", "what fastText skipgram does without options",
     "--arch skipgram --loss ns --subword-index buckets --min-n 3 --max-n 6 "
     "--buckets 2000000 --negative 5 --noise-exponent 0.5 --dim 100 --window 5 "
     "--sample 1e-4 --min-count 5 --epochs 5 --learning-rate 0.05"}};

}  // namespace

void DeclarePreset(OptionSet* options, std::string* target) {
  std::vector<std::pair<std::string, std::string>> names;
  std::vector<std::string> summaries;
  std::vector<std::string> all_options;
  for (const Preset& preset : kPresets) {
    names.emplace_back(preset.name, preset.name);
    summaries.push_back(absl::StrCat(preset.name, ", ", preset.summary));
    all_options.push_back(absl::StrCat(preset.name, ": ", preset.options));
  }
  options
      ->Choice("preset", target, std::move(names),
               absl::StrCat("values for the options that are not given: ",
                            absl::StrJoin(summaries, "; ")))
      .Everyday()
      .details = absl::StrJoin(all_options, "; ");
}

absl::Status ApplyPreset(const std::string& name, const OptionSet& options) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    const Option* option = nullptr;
    for (const absl::string_view word : absl::StrSplit(preset.options, ' ')) {
      const bool is_name = absl::StartsWith(word, "--");
      if (is_name) option = options.Find(word.substr(2));
      // A switch has no value, all others have one.
      if (is_name != option->value_name.empty()) continue;
      if (options.Given(option->name)) continue;
      absl::Status status = option->set(is_name ? "" : std::string(word));
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace firth::tools
