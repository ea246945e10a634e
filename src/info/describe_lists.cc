#include "info/describe_lists.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/saturated.h"
#include "vocab/word_lines.h"

namespace firth {
namespace {

// No list has control characters at its start; binary files do, before they
// have a line end.
bool IsText(const MappedFile& file) {
  const absl::string_view head = file.bytes().substr(0, 4096);
  return !head.empty() && std::none_of(head.begin(), head.end(), [](char c) {
    return absl::ascii_iscntrl(static_cast<unsigned char>(c)) &&
           !absl::ascii_isspace(static_cast<unsigned char>(c));
  });
}

// The numbers at the end of a line of values that commas separate.
size_t CountCommaNumbers(absl::string_view line) {
  line = absl::StripTrailingAsciiWhitespace(line);
  size_t count = 0;
  size_t comma = line.rfind(',');
  for (float value; comma != line.npos; comma = line.rfind(',')) {
    if (!absl::SimpleAtof(line.substr(comma + 1), &value)) break;
    line = line.substr(0, comma);
    ++count;
  }
  return count;
}

bool IsPhraseLine(absl::string_view line) {
  const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
  uint64_t count;
  double score;
  return columns.size() == 3 && !columns[0].empty() &&
         absl::SimpleAtoi(columns[1], &count) &&
         absl::SimpleAtod(columns[2], &score);
}

}  // namespace

absl::StatusOr<std::optional<FileInfo>> DescribeCsv(const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  uint64_t rows = 0;
  size_t numbers = 0;  // of each row
  bool is_first = true;
  absl::string_view rest = file->bytes();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const size_t found = CountCommaNumbers(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
    const bool is_heading = std::exchange(is_first, false) && found == 0;
    if (is_heading) continue;
    if (found < 2 || (rows > 0 && found != numbers)) return std::nullopt;
    numbers = found;
    ++rows;
  }
  if (rows == 0) return std::nullopt;
  FileInfo info;
  info.kind = "comma-separated values";
  info.facts = {{"rows", rows}, {"numbers", uint64_t{numbers}}};
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribeWordList(
    const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  const absl::StatusOr<WordLines> lines = ParseWordLines(*file);
  if (!lines.ok() || lines->words.empty()) return std::nullopt;
  FileInfo info;
  info.kind = "vocabulary";
  info.facts = {{"words", uint64_t{lines->words.size()}},
                {"has_counts", !lines->counts.empty()}};
  if (!lines->counts.empty()) {
    info.facts.push_back(
        {"tokens", std::accumulate(lines->counts.begin(), lines->counts.end(),
                                   uint64_t{0}, &AddSaturated)});
  }
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribePhraseList(
    const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  uint64_t phrases = 0;
  absl::string_view rest = file->bytes();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    if (!IsPhraseLine(absl::StripSuffix(rest.substr(0, end + 1), "\n"))) {
      return std::nullopt;
    }
    ++phrases;
    rest.remove_prefix(end + 1);
  }
  FileInfo info;
  info.kind = "phrase list";
  info.facts = {{"phrases", phrases}};
  return info;
}

}  // namespace firth
