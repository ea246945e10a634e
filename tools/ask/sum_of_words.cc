// A sign may be a word of its own or the first character of a word. A "-"
// before a word that begins with a minus sign makes it positive.

#include "ask/sum_of_words.h"

#include <cstddef>

namespace firth::tools {
namespace {

bool IsSign(absl::string_view text) { return text == "+" || text == "-"; }

}  // namespace

SumOfWords ParseSum(absl::Span<const std::string> words,
                    absl::FunctionRef<bool(absl::string_view)> is_known) {
  SumOfWords sum;
  bool is_negative = false;
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view text = words[i];
    const bool between = i > 0 && i + 1 < words.size();
    if (between && IsSign(text) && !IsSign(words[i - 1])) {
      is_negative = text == "-";
      sum.is_sum = true;
      continue;
    }
    if (text.size() > 1 && IsSign(text.substr(0, 1)) && !is_known(text)) {
      if (text[0] == '-') is_negative = !is_negative;
      text.remove_prefix(1);
      sum.is_sum = true;
    }
    (is_negative ? sum.negative : sum.positive).emplace_back(text);
    is_negative = false;
  }
  return sum;
}

}  // namespace firth::tools
