// The sentences of a request, cut into tokens between white space.

#ifndef FIRTH_TOOLS_SERVE_TOKENS_H_
#define FIRTH_TOOLS_SERVE_TOKENS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/json.h"
#include "firth/contextualizer.h"
#include "serve/schema.h"

namespace firth::tools {

// Of all sentences of a request: each token takes milliseconds.
constexpr size_t kMostTokens = 2000;

Property SentencesProperty();

// `texts`: a list of texts; `field`: its name, for messages. Errors:
// InvalidArgument, more tokens than kMostTokens.
absl::StatusOr<std::vector<std::vector<std::string>>> TokensOf(
    const Json& texts, const std::string& field);

// Borrows the tokens.
std::vector<Contextualizer::Sentence> Borrow(
    const std::vector<std::vector<std::string>>& sentences);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_TOKENS_H_
