#include "io/formats/word2vec_header.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "io/codecs/text_row.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr size_t kMostHeaderBytes = 256;

bool IsNumber(absl::string_view field) {
  return std::all_of(field.begin(), field.end(), absl::ascii_isdigit);
}

uint64_t ParseSaturated(absl::string_view digits) {
  uint64_t value;
  return absl::SimpleAtoi(digits, &value)
             ? value
             : std::numeric_limits<uint64_t>::max();
}

// Returns whether there are no control characters and, on the first line, only
// bytes that occur in numbers (words on the next lines may have any). Floats
// fail both tests: one in nine bytes of a mantissa is a control character.
bool LooksLikeText(absl::string_view bytes) {
  bool first_line = true;
  for (const char c : bytes) {
    if (c == '\n') first_line = false;
    const bool blank = c == '\n' || c == '\t' || c == '\r';
    const bool foreign = first_line && !absl::ascii_isascii(c);
    if (foreign || (absl::ascii_iscntrl(c) && !blank)) return false;
  }
  return true;
}

}  // namespace

std::optional<Word2vecHeader> ParseWord2vecHeader(absl::string_view bytes) {
  const absl::string_view head = bytes.substr(0, kMostHeaderBytes);
  const size_t line_bytes = std::min(head.find('\n'), head.size());
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::StripAsciiWhitespace(head.substr(0, line_bytes)),
                     absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (fields.size() != 2 || !IsNumber(fields[0]) || !IsNumber(fields[1])) {
    return std::nullopt;
  }
  return Word2vecHeader{ParseSaturated(fields[0]), ParseSaturated(fields[1]),
                        std::min(line_bytes + 1, bytes.size())};
}

bool RowsAreText(const Word2vecHeader& header, absl::string_view head,
                 absl::string_view path) {
  const absl::string_view rows = head.substr(header.bytes);
  const absl::string_view line = rows.substr(0, rows.find('\n'));
  if (header.dim > 0 && CountValues(line) >= header.dim) return true;
  // It is not a valid row of text, but it may still be text.
  const size_t space = std::min(line.find(' '), line.size());
  const absl::string_view values =
      rows.substr(space, MultiplySaturated(header.dim, sizeof(float)));
  return LooksLikeText(values) && !absl::EndsWithIgnoreCase(path, ".bin");
}

}  // namespace firth
