// Suggestions for a misspelt option or command.

#ifndef FIRTH_TOOLS_CLOSEST_NAME_H_
#define FIRTH_TOOLS_CLOSEST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"

namespace firth::tools {

// "; did you mean NAME?" with the name spelled most like `found`, or nothing
// when none is close.
std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found);

// The same for a word of a vocabulary, with up to three words.
std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLOSEST_NAME_H_
