#include "train/phrase_options.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firth::tools {

void PhraseSettings::Declare(absl::string_view prefix, OptionSet* set) {
  const auto name = [prefix](absl::string_view rest) {
    return absl::StrCat(prefix, rest);
  };
  set->Choice<PhraseScore>(
      name("score"), &options.score,
      {{"word2vec", PhraseScore::kWord2vec}, {"npmi", PhraseScore::kNpmi}},
      "how strongly two words go together: (count(ab) - min-count) N / "
      "(count(a) count(b)), or normalised pointwise mutual information, -1 to "
      "1");
  constexpr double kAny = std::numeric_limits<double>::max();
  set->Real(name("threshold"), &options.threshold, -1, kAny,
            "join words that score above this")
      .default_text = "100, or 0.5 with npmi";
  set->Integer(name("min-count"), &options.min_count, 1,
               std::numeric_limits<uint64_t>::max(),
               "least occurrences of a phrase and of its words")
      .range.clear();
  set->Text(name("delimiter"), "TEXT", &options.delimiter,
            "what stands between the words of a phrase");
  set->Text(name("connectors"), "WORDS", &connectors,
            "words, separated by commas, that may stand inside a phrase but "
            "neither begin nor end it, such as of,the,and");
}

std::vector<std::string> PhraseSettings::Names(absl::string_view prefix) {
  PhraseSettings settings;
  OptionSet set;
  settings.Declare(prefix, &set);
  std::vector<std::string> names;
  for (const OptionSection& section : set.sections()) {
    for (const Option& option : section.options) names.push_back(option.name);
  }
  return names;
}

void PhraseSettings::Finish(const CorpusOptions& reading) {
  options.connectors = absl::StrSplit(connectors, ',', absl::SkipEmpty());
  options.threads = reading.threads;
  options.memory_bytes = reading.memory_bytes;
  options.temp_dir = reading.temp_dir;
}

}  // namespace firth::tools
