#include "serve/tokens.h"

#include "absl/strings/str_cat.h"
#include "firth/tagged_text.h"
#include "serve/field_error.h"

namespace firth::tools {
namespace {

constexpr size_t kMostSentences = 100;

}  // namespace

Property SentencesProperty() {
  return {"sentences", ListSchema(TextSchema(), 1, kMostSentences,
                                  absl::StrCat("with at most ", kMostTokens,
                                               " tokens in total"))};
}

absl::StatusOr<std::vector<std::vector<std::string>>> TokensOf(
    const Json& texts, const std::string& field) {
  std::vector<std::vector<std::string>> sentences;
  size_t tokens = 0;
  for (const Json& text : texts) {
    sentences.push_back(SplitTokens(text.get_ref<const std::string&>()));
    tokens += sentences.back().size();
  }
  if (tokens <= kMostTokens) return sentences;
  return FieldError(field, absl::StrCat("must have at most ", kMostTokens,
                                        " tokens, found ", tokens));
}

std::vector<Contextualizer::Sentence> Borrow(
    const std::vector<std::vector<std::string>>& sentences) {
  std::vector<Contextualizer::Sentence> borrowed;
  borrowed.reserve(sentences.size());
  for (const std::vector<std::string>& sentence : sentences) {
    borrowed.emplace_back(sentence.begin(), sentence.end());
  }
  return borrowed;
}

}  // namespace firth::tools
