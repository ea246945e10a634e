// The baseline for inflection and lemmas: rules that replace the end of a word.
//
// A pair of words with the common beginning p, such as "laufen" and "lauft",
// gives one rule for each part of p that it keeps: en -> t, fen -> ft, ufen ->
// uft, ... A word is changed by the rule with the longest end that it has, and
// among these by the most frequent one in training. Rules belong to labels,
// such as the features of the wanted form.

#ifndef FIRTH_TESTS_SEQ2SEQ_SUFFIX_RULES_H_
#define FIRTH_TESTS_SEQ2SEQ_SUFFIX_RULES_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firth {

class SuffixRules {
 public:
  void Learn(absl::string_view labels, absl::string_view from,
             absl::string_view to) {
    size_t common = 0;
    while (common < std::min(from.size(), to.size()) &&
           from[common] == to[common]) {
      ++common;
    }
    for (size_t begin = 0; begin <= common; ++begin) {
      ++rules_[Key(labels, from.substr(begin))][std::string(to.substr(begin))];
    }
  }

  std::string Apply(absl::string_view labels, absl::string_view word) const {
    for (size_t begin = 0; begin <= word.size(); ++begin) {
      const auto found = rules_.find(Key(labels, word.substr(begin)));
      if (found == rules_.end()) continue;
      const auto best = std::max_element(
          found->second.begin(), found->second.end(),
          [](const auto& a, const auto& b) { return a.second < b.second; });
      return absl::StrCat(word.substr(0, begin), best->first);
    }
    return std::string(word);
  }

 private:
  static std::string Key(absl::string_view labels, absl::string_view end) {
    return absl::StrCat(labels, "\t", end);
  }

  // Replacements of an end, with their counts.
  std::map<std::string, std::map<std::string, int>> rules_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SEQ2SEQ_SUFFIX_RULES_H_
