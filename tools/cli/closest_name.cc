#include "cli/closest_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "firth/query.h"

namespace firth::tools {
namespace {

std::string Suggest(const Vocabulary& vocabulary, absl::string_view found,
                    size_t count) {
  std::vector<absl::string_view> words;
  for (const WordId word : ClosestSpellings(vocabulary, found, count)) {
    words.push_back(vocabulary.Word(word));
  }
  if (words.empty()) return "";
  return absl::StrCat("; did you mean ", absl::StrJoin(words, ", "), "?");
}

// The words of "king, Queen", as the vocabulary has them; none if it lacks one.
std::vector<std::string> WordsApart(const Vocabulary& vocabulary,
                                    absl::string_view found) {
  std::vector<std::string> words =
      absl::StrSplit(found, absl::ByAnyChar(" \t,;"), absl::SkipEmpty());
  for (std::string& word : words) {
    if (vocabulary.Find(word).has_value()) continue;
    absl::AsciiStrToLower(&word);
    if (!vocabulary.Find(word).has_value()) return {};
  }
  return words;
}

}  // namespace

std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found) {
  const std::vector<absl::string_view> words(names.begin(), names.end());
  const auto vocabulary = Vocabulary::Create(words, {});
  return vocabulary.ok() ? Suggest(*vocabulary, found, 1) : "";
}

std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found) {
  const std::vector<std::string> apart = WordsApart(vocabulary, found);
  if (apart.size() > 1) {
    return absl::StrCat("; write the words as separate arguments: ",
                        absl::StrJoin(apart, " "));
  }
  if (apart.size() == 1 && absl::EqualsIgnoreCase(apart[0], found)) {
    return absl::StrCat("; use lower case: ", apart[0]);
  }
  if (HoldsWhiteSpace(found)) {
    return "; write each word as a separate argument, without quotes";
  }
  return Suggest(vocabulary, found, 3);
}

bool HoldsWhiteSpace(absl::string_view word) {
  return word.find_first_of(" \t\n") != word.npos;
}

}  // namespace firth::tools
