#include "query/asked_words.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

bool IsSign(absl::string_view text) { return text == "+" || text == "-"; }

absl::Status AddList(absl::string_view option, absl::string_view list,
                     float weight, Asked* asked) {
  if (list.empty()) return absl::OkStatus();
  for (const absl::string_view word : absl::StrSplit(list, ',')) {
    if (word.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(option, ": expected words separated by commas, found \"",
                       list, "\""));
    }
    asked->words.push_back({std::string(word), weight});
  }
  return absl::OkStatus();
}

}  // namespace

std::string Asked::Label() const {
  std::string label;
  for (const AskedWord& word : words) {
    if (!label.empty()) absl::StrAppend(&label, " ");
    if (is_sum && word.weight < 0) {
      absl::StrAppend(&label, label.empty() ? "-" : "- ");
    } else if (is_sum && !label.empty()) {
      absl::StrAppend(&label, "+ ");
    }
    absl::StrAppend(&label, word.text);
  }
  return label;
}

Asked AskWords(absl::Span<const std::string> words,
               const std::function<bool(absl::string_view)>& is_known) {
  Asked asked;
  float weight = 1;
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view text = words[i];
    const bool between = i > 0 && i + 1 < words.size();
    if (between && IsSign(text) && !IsSign(words[i - 1])) {
      weight = text == "-" ? -1 : 1;
      asked.is_sum = true;
      continue;
    }
    if (text.size() > 1 && IsSign(text.substr(0, 1)) && !is_known(text)) {
      if (text[0] == '-') weight = -weight;
      text.remove_prefix(1);
      asked.is_sum = true;
    }
    asked.words.push_back({std::string(text), std::exchange(weight, 1)});
  }
  return asked;
}

absl::StatusOr<Asked> AskLists(absl::string_view positive,
                               absl::string_view negative) {
  Asked asked;
  asked.is_sum = true;
  FIRTH_RETURN_IF_ERROR(AddList("--positive", positive, 1, &asked));
  FIRTH_RETURN_IF_ERROR(AddList("--negative", negative, -1, &asked));
  return asked;
}

absl::StatusOr<Asked> AskNumbers(absl::Span<const std::string> words,
                                 size_t dim, const std::string& place) {
  if (words.size() != dim && words.size() != dim + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", dim, " numbers, or a label and ", dim,
                     " numbers, found ", words.size()));
  }
  Asked asked;
  const bool labelled = words.size() > dim;
  asked.words.push_back({labelled ? words[0] : place});
  for (const std::string& word : words.subspan(labelled ? 1 : 0)) {
    if (!absl::SimpleAtof(word, &asked.vector.emplace_back()) ||
        !std::isfinite(asked.vector.back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a finite number, found \"", word, "\""));
    }
  }
  return asked;
}

}  // namespace firth::tools
