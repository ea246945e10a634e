#include "closest_name.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

}  // namespace

std::string DidYouMean(const std::vector<std::string>& names,
                       absl::string_view found) {
  const std::vector<absl::string_view> words(names.begin(), names.end());
  const auto vocabulary = Vocabulary::Create(words, {});
  return vocabulary.ok() ? Suggest(*vocabulary, found, 1) : "";
}

std::string DidYouMean(const Vocabulary& vocabulary, absl::string_view found) {
  return Suggest(vocabulary, found, 3);
}

}  // namespace firth::tools
