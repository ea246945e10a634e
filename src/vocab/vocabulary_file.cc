// Vocabulary files: a word a line, then white space and its count (or none at
// all), as word2vec's -save-vocab writes them. The count is the last field, so
// a word may hold anything but white space.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/status_macros.h"
#include "base/unicode.h"
#include "firth/vocabulary.h"

namespace firth {
namespace {

// The number of bytes before the first white space.
size_t WordBytes(absl::string_view text) {
  size_t i = 0;
  while (i < text.size() && WhiteSpaceBytes(text.substr(i)) == 0) ++i;
  return i;
}

absl::string_view SkipWhiteSpace(absl::string_view text) {
  while (const size_t bytes = WhiteSpaceBytes(text)) text.remove_prefix(bytes);
  return text;
}

class VocabularyParser {
 public:
  explicit VocabularyParser(const std::string& path) : path_(path) {}

  absl::Status AddLine(absl::string_view line) {
    ++line_;
    line = SkipWhiteSpace(line);
    const absl::string_view word = line.substr(0, WordBytes(line));
    const absl::string_view rest = SkipWhiteSpace(line.substr(word.size()));
    const absl::string_view count = rest.substr(0, WordBytes(rest));
    if (word.empty() || !SkipWhiteSpace(rest.substr(count.size())).empty()) {
      return Expected("a word, or a word and its count", line);
    }
    if (words_.empty()) has_counts_ = !count.empty();
    if (has_counts_ != !count.empty()) {
      return Expected(has_counts_ ? "a word and its count, as in line 1"
                                  : "a word without a count, as in line 1",
                      line);
    }
    FIRTH_RETURN_IF_ERROR(AddWord(word));
    return has_counts_ ? AddCount(count) : absl::OkStatus();
  }

  absl::StatusOr<Vocabulary> Finish() && {
    if (words_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path_, ": expected a word a line, found an empty file"));
    }
    return Vocabulary::Create(words_, std::move(counts_));
  }

 private:
  absl::Status Expected(absl::string_view what, absl::string_view found) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", line_, ": expected ", what, ", found \"",
                     found.substr(0, 100), "\""));
  }

  absl::Status AddWord(absl::string_view word) {
    const auto [first, inserted] = first_lines_.emplace(word, line_);
    if (!inserted) {
      return absl::InvalidArgumentError(absl::StrCat(
          path_, ":", line_, ": expected different words, found \"",
          word.substr(0, 100), "\" again, first in line ", first->second));
    }
    words_.push_back(word);
    return absl::OkStatus();
  }

  absl::Status AddCount(absl::string_view text) {
    uint64_t count;
    if (!absl::SimpleAtoi(text, &count)) {
      return Expected("a count from 0 to 2^64 - 1", text);
    }
    counts_.push_back(count);
    return absl::OkStatus();
  }

  const std::string& path_;
  size_t line_ = 0;
  bool has_counts_ = false;
  std::vector<absl::string_view> words_;  // of the mapped file
  std::vector<uint64_t> counts_;
  absl::flat_hash_map<absl::string_view, size_t> first_lines_;
};

absl::Status CheckWritable(absl::string_view word, size_t entry,
                           const std::string& path) {
  if (!word.empty() && WordBytes(word) == word.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path,
      ": a vocabulary file holds words without white space only, found \"",
      word.substr(0, 100), "\" as entry ", entry));
}

}  // namespace

absl::StatusOr<Vocabulary> LoadVocabulary(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  VocabularyParser parser(path);
  absl::string_view rest = file->bytes();
  while (!rest.empty()) {
    const size_t size = std::min(rest.find('\n'), rest.size());
    FIRTH_RETURN_IF_ERROR(parser.AddLine(rest.substr(0, size)));
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  return std::move(parser).Finish();
}

absl::Status SaveVocabulary(const Vocabulary& vocabulary,
                            const std::string& path) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    FIRTH_RETURN_IF_ERROR(CheckWritable(vocabulary.Word(ToWordId(i)), i, path));
  }
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    FIRTH_RETURN_IF_ERROR(file.Write(absl::StrCat(
        vocabulary.Word(word), " ", vocabulary.Count(word), "\n")));
  }
  return file.Commit();
}

}  // namespace firth
