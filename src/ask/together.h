// Answers requests together, as models compute fastest.

#ifndef FIRTH_ASK_TOGETHER_H_
#define FIRTH_ASK_TOGETHER_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/tagged_text.h"

namespace firth {

// Calls `answer` with runs of requests for which `same` holds. If that fails,
// calls it with each request of the run alone, so that the error of one request
// does not concern the others. `answer` returns one answer per request.
template <class Answer, class Request, class Call, class Same>
std::vector<absl::StatusOr<Answer>> AnswerTogether(
    absl::Span<const Request> requests, Same same, Call answer) {
  std::vector<absl::StatusOr<Answer>> answers;
  const auto add = [&](absl::Span<const Request> run) {
    absl::StatusOr<std::vector<Answer>> found = answer(run);
    if (!found.ok()) return found.status();
    for (Answer& one : *found) answers.emplace_back(std::move(one));
    return absl::OkStatus();
  };
  for (size_t begin = 0; begin < requests.size();) {
    size_t end = begin + 1;
    while (end < requests.size() && same(requests[begin], requests[end])) ++end;
    const auto run = requests.subspan(begin, end - begin);
    begin = end;
    if (add(run).ok()) continue;
    for (size_t i = 0; i < run.size(); ++i) {
      const absl::Status status = add(run.subspan(i, 1));
      if (!status.ok()) answers.emplace_back(status);
    }
  }
  return answers;
}

// Returns the tokens of a request: `words`, or those of `text` if it has none.
template <class Request>
std::vector<std::string> TokensOf(const Request& request) {
  return request.words.empty() ? SplitTokens(request.text) : request.words;
}

// Adds the fields "text" and "words" that TokensOf() reads.
template <class Fields, class Request>
void AddTokens(std::string Request::*text,
               std::vector<std::string> Request::*words, Fields* fields) {
  fields->Add("text", text, "a sentence, with tokens separated by white space");
  fields->Add("words", words, "the tokens of the sentence, instead of its text")
      .ValueName("WORD,WORD...");
}

inline std::vector<absl::string_view> Borrow(
    const std::vector<std::string>& tokens) {
  return {tokens.begin(), tokens.end()};
}

}  // namespace firth

#endif  // FIRTH_ASK_TOGETHER_H_
