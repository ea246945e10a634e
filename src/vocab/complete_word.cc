#include "firth/complete_word.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "base/unicode.h"

namespace firth {
namespace {

// Returns the longest common prefix that divides no character.
absl::string_view CommonBeginning(absl::string_view a, absl::string_view b) {
  size_t end = 0;
  for (size_t i = 0; i < a.size();) {
    i += DecodeUtf8(a.substr(i)).bytes;
    if (a.substr(end, i - end) != b.substr(end, i - end)) break;
    end = i;
  }
  return a.substr(0, end);
}

}  // namespace

Completions CompleteWord(const Vocabulary& vocabulary, absl::string_view prefix,
                         size_t most) {
  std::vector<WordId> fitting;
  absl::string_view common;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = ToWordId(i);
    const absl::string_view word = vocabulary.Word(id);
    if (!absl::StartsWith(word, prefix)) continue;
    common = fitting.empty() ? word : CommonBeginning(common, word);
    fitting.push_back(id);
  }
  const size_t named = std::min(most, fitting.size());
  const auto named_end = fitting.begin() + static_cast<ptrdiff_t>(named);
  std::partial_sort(fitting.begin(), named_end, fitting.end(),
                    [&](WordId a, WordId b) {
                      const uint64_t of_a = vocabulary.Count(a);
                      const uint64_t of_b = vocabulary.Count(b);
                      return of_a != of_b ? of_a > of_b : a < b;
                    });
  Completions found{fitting.size(), std::string(common), {}};
  for (size_t i = 0; i < named; ++i) {
    found.words.push_back(vocabulary.Word(fitting[i]));
  }
  return found;
}

}  // namespace firth
