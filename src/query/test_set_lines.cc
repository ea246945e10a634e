#include "query/test_set_lines.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"

namespace firth {

absl::StatusOr<TestSetLines> TestSetLines::Open(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  return TestSetLines(path, file->bytes(), file);
}

absl::StatusOr<TestSetLines> TestSetLines::OpenTexts(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::string bytes, ReadText(path));
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  TestSetLines lines(path == "-" ? "standard input" : path, *owner, owner);
  lines.has_comments_ = false;
  return lines;
}

TestSetLines::TestSetLines(std::string name, absl::string_view text,
                           std::shared_ptr<const void> owner)
    : name_(std::move(name)),
      owner_(std::move(owner)),
      rest_(WithoutByteOrderMark(text)) {}

bool TestSetLines::Next(absl::string_view* line) {
  while (!rest_.empty()) {
    const size_t end = rest_.find('\n');
    line_ = absl::StripTrailingAsciiWhitespace(rest_.substr(0, end));
    rest_.remove_prefix(end == absl::string_view::npos ? rest_.size()
                                                       : end + 1);
    ++line_number_;
    if (line_.empty() || (has_comments_ && line_[0] == '#')) continue;
    *line = line_;
    return true;
  }
  return false;
}

absl::Status TestSetLines::Error(absl::string_view expected,
                                 absl::string_view found) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ":", line_number_, ": expected ", expected,
                   ", found ", found, ": ", Quote(line_)));
}

absl::Status TestSetLines::InLine(const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat(name_, ":", line_number_,
                                                  ": ", status.message()));
}

bool IsLowercase(const Vocabulary& vocabulary) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    const bool is_mark =
        absl::StartsWith(word, "<") && absl::EndsWith(word, ">");
    if (!is_mark && HasCapitals(word)) return false;
  }
  return !vocabulary.empty();
}

std::string CaseFold::Fold(absl::string_view word) {
  if (!folds_ || !HasCapitals(word)) return std::string(word);
  folded_ = true;
  return Lowercase(word);
}

absl::StatusOr<std::optional<WordId>> TestWords::Find(absl::string_view word) {
  const std::string folded = fold_.Fold(word);
  const std::optional<WordId> known = vectors_.vocabulary().Find(folded);
  if (known.has_value()) return known;
  if (options_.unknown == UnknownWords::kError) {
    return absl::NotFoundError(
        absl::StrCat(Quote(folded), " is not in the vocabulary"));
  }
  if (options_.unknown == UnknownWords::kSkip) return std::nullopt;
  std::optional<std::vector<float>> vector = vectors_.FromNGrams(folded);
  if (!vector.has_value()) return std::nullopt;
  unknown_.push_back(*std::move(vector));
  return ToWordId(vectors_.size() + unknown_.size() - 1);
}

}  // namespace firth
