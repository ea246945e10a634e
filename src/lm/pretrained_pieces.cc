// Every line and every number of these files is checked before a vocabulary is
// made, so that a message can name it.

#include "lm/pretrained_pieces.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

absl::Status Bad(const std::string& path, size_t line,
                 absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(path, ":", line, ": expected ",
                                                 expected, ", found ", found));
}

// Returns the lines of a file. The last one need not end with '\n'.
std::vector<absl::string_view> LinesOf(absl::string_view text) {
  std::vector<absl::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(absl::StripSuffix(text.substr(0, end), "\r"));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// `first_line` is the number of lines[0].
absl::Status CheckDistinct(const std::string& path, size_t first_line,
                           absl::Span<const absl::string_view> lines) {
  absl::flat_hash_map<absl::string_view, size_t> seen;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto [found, is_new] = seen.try_emplace(lines[i], i);
    if (is_new) continue;
    return Bad(path, first_line + i, "each line once",
               absl::StrCat(Quote(lines[i]), " again, as in line ",
                            first_line + found->second));
  }
  return absl::OkStatus();
}

bool IsPiece(absl::string_view text) {
  return !text.empty() && FindInvalidUtf8(text) == text.npos &&
         text.find('\n') == text.npos;
}

bool IsMerge(absl::string_view text) {
  const size_t space = text.find(' ');
  return space != text.npos && IsPiece(text.substr(0, space)) &&
         IsPiece(text.substr(space + 1)) &&
         text.find(' ', space + 1) == text.npos;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadPieceLines(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const std::vector<absl::string_view> lines = LinesOf(file->bytes());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsPiece(lines[i])) continue;
    return Bad(path, i + 1, "a piece in UTF-8", Quote(lines[i]));
  }
  FIRTH_RETURN_IF_ERROR(CheckDistinct(path, 1, lines));
  return std::vector<std::string>(lines.begin(), lines.end());
}

absl::StatusOr<std::vector<std::string>> ReadPieceNumbers(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const auto bad = [&](absl::string_view expected, absl::string_view found) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected ", expected, ", found ", found));
  };
  JsonFaults faults;
  const Json json = ParseJson(file->bytes(), 2, &faults);
  if (!json.is_object()) {
    return bad("a JSON object of pieces and their numbers", "something else");
  }
  if (!faults.twice.empty()) {
    return bad("each piece once", Quote(faults.twice) + " twice");
  }
  std::vector<std::string> pieces(json.size());
  for (const auto& [piece, number] : json.items()) {
    const bool fits = number.is_number_unsigned() &&
                      number.get<uint64_t>() < pieces.size() &&
                      pieces[number.get<uint64_t>()].empty();
    if (!fits) {
      return bad(
          absl::StrCat("a unique number from 0 to ", pieces.size() - 1, " for ",
                       Quote(piece)),
          number.is_structured() ? "an array or object" : DumpJson(number));
    }
    if (!IsPiece(piece)) return bad("pieces in UTF-8", Quote(piece));
    pieces[number.get<uint64_t>()] = piece;
  }
  return pieces;
}

absl::StatusOr<Vocabulary> ReadMerges(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const std::vector<absl::string_view> lines = LinesOf(file->bytes());
  const bool versioned =
      !lines.empty() && absl::StartsWith(lines.front(), "#version");
  const auto merges = absl::MakeConstSpan(lines).subspan(versioned);
  const size_t first_line = 1 + versioned;
  for (size_t i = 0; i < merges.size(); ++i) {
    if (IsMerge(merges[i])) continue;
    return Bad(path, first_line + i, "two pieces separated by a space",
               Quote(merges[i]));
  }
  FIRTH_RETURN_IF_ERROR(CheckDistinct(path, first_line, merges));
  return Vocabulary::Create(merges, {});
}

absl::StatusOr<MarkedPieces> MarkPieces(const std::vector<std::string>& pieces,
                                        absl::Span<const std::string> marks,
                                        absl::Span<const std::string> named,
                                        const std::string& path) {
  MarkedPieces marked;
  std::vector<absl::string_view> words(marks.begin(), marks.end());
  std::vector<bool> is_mark(pieces.size());
  for (const std::string& name : named) {
    const auto found = std::find(pieces.begin(), pieces.end(), name);
    if (found == pieces.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the piece ", Quote(name), " is missing"));
    }
    marked.rows.push_back(static_cast<size_t>(found - pieces.begin()));
    is_mark[marked.rows.back()] = true;
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (is_mark[i]) continue;
    if (std::find(marks.begin(), marks.end(), pieces[i]) != marks.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the piece ", Quote(pieces[i]),
                       " has the name of one of Firth's own marks"));
    }
    words.push_back(pieces[i]);
    marked.rows.push_back(i);
  }
  FIRTH_ASSIGN_OR_RETURN(marked.words, Vocabulary::Create(words, {}));
  return marked;
}

}  // namespace firth
