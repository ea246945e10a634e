// Suggestions for a misspelt option or command.

#ifndef FIRTH_TOOLS_CLI_CLOSEST_NAME_H_
#define FIRTH_TOOLS_CLI_CLOSEST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"

namespace firth::tools {

// "; did you mean NAME?" with the name spelled most like `found`, or nothing
// when none is close.
std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found);

// What to type instead of a word that the vocabulary lacks: the words that it
// is made of, itself in lower case, or up to three that are spelled like it.
std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found);

// Whether it is several words, as a shell makes one argument of by quotes.
bool HoldsWhiteSpace(absl::string_view word);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_CLOSEST_NAME_H_
