#include "io/word_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "io/vector_rows.h"

namespace firth {
namespace {

struct Entry {
  absl::string_view word;
  std::optional<uint64_t> count;
};

// Nothing if `line` is neither a word nor a word with its count.
std::optional<Entry> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> fields =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (fields.size() == 1) return Entry{fields[0], std::nullopt};
  uint64_t count;
  if (fields.size() != 2 || !absl::SimpleAtoi(fields[1], &count)) {
    return std::nullopt;
  }
  return Entry{fields[0], count};
}

}  // namespace

absl::StatusOr<WordLines> ParseWordLines(const MappedFile& file) {
  WordLines lines;
  absl::string_view rest = file.bytes();
  const auto bad = [&](absl::string_view expected, absl::string_view found) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.path(), ":", lines.words.size() + 1, ": expected ",
                     expected, ", found ", found));
  };
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    if (newline == rest.npos) {
      return bad("a line end after the last line", "the end of the file");
    }
    const absl::string_view line = rest.substr(0, newline);
    const std::optional<Entry> entry = ParseLine(line);
    if (!entry.has_value()) return bad("a word and its count", Quote(line));
    const bool counted = entry->count.has_value();
    if (!lines.words.empty() && counted != !lines.counts.empty()) {
      return bad(counted ? "a word without count, as before"
                         : "a word with its count, as before",
                 Quote(line));
    }
    lines.words.push_back(entry->word);
    if (counted) lines.counts.push_back(*entry->count);
    rest.remove_prefix(newline + 1);
  }
  return lines;
}

absl::Status WriteWordLines(const Vocabulary& vocabulary,
                            const std::string& path, OutputFile& out) {
  const bool counted = vocabulary.total_count() > 0;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (std::any_of(word.begin(), word.end(), absl::ascii_isspace)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": word ", Quote(word),
                       ": a file of words cannot hold white space in one"));
    }
    FIRTH_RETURN_IF_ERROR(out.Write(word));
    if (counted) {
      FIRTH_RETURN_IF_ERROR(
          out.Write(absl::StrCat(" ", vocabulary.Count(ToWordId(i)))));
    }
    FIRTH_RETURN_IF_ERROR(out.Write("\n"));
  }
  return absl::OkStatus();
}

}  // namespace firth
