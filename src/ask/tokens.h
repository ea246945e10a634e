// Sentences whose tokens are given as one text or as a list.

#ifndef FIRTH_ASK_TOKENS_H_
#define FIRTH_ASK_TOKENS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/fields.h"
#include "firth/tagged_text.h"

namespace firth {

// The fields "text" and "words" of a request.
struct SentenceRequest {
  std::string text;
  std::vector<std::string> words;

  static FieldTable Fields() {
    FieldsOf<SentenceRequest> fields;
    fields.Add("text", &SentenceRequest::text,
               "sentence, with tokens separated by white space");
    fields
        .Add("words", &SentenceRequest::words,
             "tokens of the sentence, instead of its text")
        .ValueName("WORD,WORD...");
    return fields;
  }
  // Returns `words` or, if empty, those of `text`.
  std::vector<std::string> Tokens() const {
    return words.empty() ? SplitTokens(text) : words;
  }
};

// Return views of the tokens of a sentence, and of each of several sentences.
inline std::vector<absl::string_view> Borrow(
    const std::vector<std::string>& tokens) {
  return {tokens.begin(), tokens.end()};
}
inline std::vector<std::vector<absl::string_view>> Borrow(
    const std::vector<std::vector<std::string>>& sentences) {
  std::vector<std::vector<absl::string_view>> borrowed;
  for (const auto& tokens : sentences) borrowed.push_back(Borrow(tokens));
  return borrowed;
}

}  // namespace firth

#endif  // FIRTH_ASK_TOKENS_H_
