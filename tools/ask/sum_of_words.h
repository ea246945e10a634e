// Sums of words as a user writes them: king - man + woman.

#ifndef FIRTH_TOOLS_ASK_SUM_OF_WORDS_H_
#define FIRTH_TOOLS_ASK_SUM_OF_WORDS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth::tools {

struct SumOfWords {
  bool is_sum = false;  // Whether any word has a sign.
  std::vector<std::string> positive;
  std::vector<std::string> negative;
};

// Parses words. They are a sum if one of them has a sign: a "+" or "-" between
// two words, or at the beginning of a word for which `is_known` is false.
SumOfWords ParseSum(absl::Span<const std::string> words,
                    absl::FunctionRef<bool(absl::string_view)> is_known);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_SUM_OF_WORDS_H_
