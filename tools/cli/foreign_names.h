// Answers to names that are not ours: suggestions for misspelt ones, and what
// options and commands of other programs are called here.
//
// Who comes from word2vec.c, fastText or gensim types the names of those. They
// are not accepted, as there is one way to do a thing, but they get an answer:
// what to type, or that Firth does not have it.

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

// Names are compared without case, "-" and "_".
struct ForeignOption {
  absl::string_view name;
  absl::string_view option = {};  // ours; empty: Firth does not have it
  // Their values with ours; empty: they are the same.
  std::vector<std::pair<absl::string_view, absl::string_view>> values = {};
  std::string note = {};
};
// A name may come more than once: the first row is meant whose option the
// command has.
const std::vector<ForeignOption>& ForeignOptions();

struct ForeignCommand {
  absl::string_view name;
  absl::string_view here;  // what follows "firth"; empty: Firth has no such
  absl::string_view note = {};  // or why not
};
const std::vector<ForeignCommand>& ForeignCommands();

// Errors: InvalidArgument, for all arguments up to "--" that are options of
// others, or ours with one dash, with what is typed here instead.
absl::Status RefuseForeignOptions(const std::vector<std::string>& arguments,
                                  const OptionSet& options);

// ": here it is ..." for a command of others, else empty.
std::string AnswerForeignCommand(absl::string_view name);

// "; did you mean NAME?" with the name spelled most like `found`, or nothing
// when none is close.
std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found);

// Returns what to type instead of a word that the vocabulary lacks: the words
// that it is made of, itself in lower case, or up to three similar ones.
std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found);

// Returns whether the argument has several words, which were quoted.
bool HoldsWhiteSpace(absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_FOREIGN_NAMES_H_
