#include "vocab/word_lines.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

absl::string_view SkipWhiteSpace(absl::string_view text) {
  while (const size_t bytes = WhiteSpaceBytes(text)) text.remove_prefix(bytes);
  return text;
}

class LineParser {
 public:
  explicit LineParser(const std::string& path) : path_(path) {}

  absl::Status AddLine(absl::string_view line) {
    const absl::string_view text = SkipWhiteSpace(line);
    const absl::string_view word = text.substr(0, FindWhiteSpace(text));
    const absl::string_view rest = SkipWhiteSpace(text.substr(word.size()));
    const absl::string_view count = rest.substr(0, FindWhiteSpace(rest));
    if (word.empty() || !SkipWhiteSpace(rest.substr(count.size())).empty()) {
      return Expected("a word, or a word and its count", line);
    }
    const bool counted = !count.empty();
    if (!lines_.words.empty() && counted == lines_.counts.empty()) {
      return Expected(counted ? "a word without a count, as in line 1"
                              : "a word and its count, as in line 1",
                      line);
    }
    uint64_t number = 0;
    if (counted && !absl::SimpleAtoi(count, &number)) {
      return Expected("a count from 0 to 2^64 - 1", count);
    }
    lines_.words.push_back(word);
    if (counted) lines_.counts.push_back(number);
    return absl::OkStatus();
  }

  WordLines lines() && { return std::move(lines_); }

 private:
  absl::Status Expected(absl::string_view what, absl::string_view found) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", lines_.words.size() + 1, ": expected ", what,
                     ", found ", Quote(found)));
  }

  const std::string& path_;
  WordLines lines_;
};

// Vocabulary files, based on word_lines.h.

// Vocabulary::Create() also rejects duplicates, but cannot name the lines.
absl::Status CheckDifferent(const WordLines& lines, const std::string& path) {
  absl::flat_hash_map<absl::string_view, size_t> first_lines;
  for (size_t i = 0; i < lines.words.size(); ++i) {
    const auto [first, inserted] = first_lines.emplace(lines.words[i], i + 1);
    if (inserted) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":", i + 1, ": duplicate word ", Quote(lines.words[i]),
        ", which is also in line ", first->second));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckVocabularyWords(const Vocabulary& vocabulary,
                                  const std::string& path) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (IsWordOfLine(word)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": entry ", i, ", ", Quote(word),
        ", contains white space; words of a vocabulary file must not"));
  }
  return absl::OkStatus();
}

absl::StatusOr<WordLines> ParseWordLines(const MappedFile& file) {
  LineParser parser(file.path());
  absl::string_view rest = WithoutByteOrderMark(file.bytes());
  while (!rest.empty()) {
    const size_t size = std::min(rest.find('\n'), rest.size());
    FIRTH_RETURN_IF_ERROR(parser.AddLine(rest.substr(0, size)));
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  return std::move(parser).lines();
}

bool IsWordOfLine(absl::string_view word) {
  return !word.empty() && FindWhiteSpace(word) == word.size();
}

absl::Status WriteWordLines(const Vocabulary& vocabulary,
                            const std::string& path, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(CheckVocabularyWords(vocabulary, path));
  const bool counted = vocabulary.total_count() > 0;
  if (!vocabulary.empty() &&
      absl::StartsWith(vocabulary.Word(WordId{0}), kByteOrderMark)) {
    // A reader skips one byte order mark.
    FIRTH_RETURN_IF_ERROR(out.Write(kByteOrderMark));
  }
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    FIRTH_RETURN_IF_ERROR(out.Write(vocabulary.Word(word)));
    if (counted) {
      FIRTH_RETURN_IF_ERROR(
          out.Write(absl::StrCat(" ", vocabulary.Count(word))));
    }
    FIRTH_RETURN_IF_ERROR(out.Write("\n"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Vocabulary> LoadVocabulary(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  const std::string foreign = FindForeignContent(file->bytes());
  if (!foreign.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected one word per line, found ", foreign));
  }
  FIRTH_ASSIGN_OR_RETURN(WordLines lines, ParseWordLines(*file));
  if (lines.words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected one word per line, found an empty file"));
  }
  FIRTH_RETURN_IF_ERROR(CheckDifferent(lines, path));
  return Vocabulary::Create(lines.words, std::move(lines.counts));
}

absl::Status SaveVocabulary(const Vocabulary& vocabulary,
                            const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(WriteWordLines(vocabulary, path, file));
  return file.Commit();
}

}  // namespace firth
