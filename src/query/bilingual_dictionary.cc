// Dictionaries with one word and its translation per line.

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/align.h"
#include "firth/status_macros.h"
#include "query/test_set_lines.h"

namespace firth {
namespace {

using TextPair = std::pair<absl::string_view, absl::string_view>;

// Splits at the tab if there is one, so that words may contain spaces.
absl::StatusOr<TextPair> SplitLine(const TestSetLines& lines,
                                   absl::string_view line) {
  std::vector<absl::string_view> columns;
  if (line.find('\t') == line.npos) {
    columns =
        absl::StrSplit(line, absl::ByAnyChar(" \v\f\r"), absl::SkipEmpty());
  } else {
    columns = absl::StrSplit(line, '\t');
  }
  if (columns.size() != 2) {
    return lines.Error("a word and its translation",
                       absl::StrCat(columns.size(), " columns"));
  }
  const TextPair pair = {absl::StripAsciiWhitespace(columns[0]),
                         absl::StripAsciiWhitespace(columns[1])};
  if (!pair.first.empty() && !pair.second.empty()) return pair;
  return lines.Error("a word and its translation", "an empty column");
}

}  // namespace

absl::StatusOr<BilingualDictionary> LoadDictionary(const std::string& path,
                                                   const Vocabulary& source,
                                                   const Vocabulary& target) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  BilingualDictionary dictionary;
  dictionary.file = path;
  CaseFold source_case(source, /*always=*/false);
  CaseFold target_case(target, /*always=*/false);
  absl::flat_hash_set<std::pair<std::string, std::string>> seen;
  absl::flat_hash_set<std::string> words;
  absl::string_view line;
  while (lines.Next(&line)) {
    FIRTH_ASSIGN_OR_RETURN(const TextPair texts, SplitLine(lines, line));
    const auto [pair, is_new] = seen.emplace(source_case.Fold(texts.first),
                                             target_case.Fold(texts.second));
    if (!is_new) continue;
    words.insert(pair->first);
    const auto from = source.Find(pair->first);
    const auto to = target.Find(pair->second);
    if (from.has_value() && to.has_value()) {
      dictionary.pairs.push_back({*from, *to});
    }
  }
  dictionary.total_pairs = seen.size();
  dictionary.total_words = words.size();
  dictionary.folded = source_case.folded() || target_case.folded();
  if (!seen.empty()) return dictionary;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the file contains no lines with a word and its translation"));
}

BilingualDictionary IdenticalWords(const Vocabulary& source,
                                   const Vocabulary& target) {
  BilingualDictionary dictionary;
  for (size_t i = 0; i < source.size(); ++i) {
    const WordId word = ToWordId(i);
    const auto found = target.Find(source.Word(word));
    if (found.has_value()) dictionary.pairs.push_back({word, *found});
  }
  dictionary.total_pairs = dictionary.total_words = dictionary.pairs.size();
  return dictionary;
}

}  // namespace firth
