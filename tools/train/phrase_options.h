// The options of finding phrases, common to the commands that do.

#ifndef FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/option_set.h"
#include "firth/phrases.h"

namespace firth::tools {

struct PhraseSettings {
  PhraseOptions options;
  std::string connectors;  // separated by commas

  // `prefix` comes before each name: "phrase-", or nothing.
  void Declare(absl::string_view prefix, OptionSet* set);
  // The names of its options.
  static std::vector<std::string> Names(absl::string_view prefix);
  // Fills in what was given as text, and what reading has, too.
  void Finish(const CorpusOptions& reading);
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_PHRASE_OPTIONS_H_
