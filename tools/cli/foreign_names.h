// Messages for names that Firth does not have: suggestions for misspelled
// names, and Firth's names for options and commands of other programs.
//
// Users of word2vec.c, fastText or gensim may type names of those programs. The
// names are not accepted, because each option has one name, but the message
// contains what to type or that Firth has no such option.

#ifndef FIRTH_TOOLS_CLI_FOREIGN_NAMES_H_
#define FIRTH_TOOLS_CLI_FOREIGN_NAMES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/option_set.h"
#include "firth/vocabulary.h"

namespace firth::tools {

// An option of another program. Names are compared without case, "-" and "_".
struct ForeignOption {
  absl::string_view name;
  absl::string_view option = {};  // Firth's option; empty if there is none.
  // Pairs of their values and ours; empty if the values are the same.
  std::vector<std::pair<absl::string_view, absl::string_view>> values = {};
  std::string note = {};
};
// Returns the table. If a name occurs more than once, the first row whose
// option the command has applies.
const std::vector<ForeignOption>& ForeignOptions();

struct ForeignCommand {
  absl::string_view name;
  absl::string_view here;       // After "firth"; empty if there is none.
  absl::string_view note = {};  // Reason why there is no such command.
};
const std::vector<ForeignCommand>& ForeignCommands();

// Refuses options of other programs, and Firth's options with one dash, among
// the arguments before "--". Errors: InvalidArgument, with all replacements.
absl::Status RefuseForeignOptions(const std::vector<std::string>& arguments,
                                  const OptionSet& options);

// Returns ": here it is ..." for a command of another program, otherwise "".
std::string AnswerForeignCommand(absl::string_view name);

// Returns "; did you mean NAME?" with the closest spelling of `found`, or "" if
// none is close.
std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found);

// Returns a suggestion for an unknown word: the words that it contains, its
// lower case, or up to three similar words.
std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found);

// Returns whether the argument consists of several words, in quotes.
bool HoldsWhiteSpace(absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_FOREIGN_NAMES_H_
