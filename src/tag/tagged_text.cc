// The reader takes line after line of all inputs (LineReader) and makes
// sentences of them. With slashes, and in plain text, a line is a sentence. In
// columns a line is a token: it joins the sentence that is open, which an empty
// line or the end of the file closes.

#include "firth/tagged_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "corpus/input_files.h"
#include "corpus/line_reader.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kMostTokens = 65536;
constexpr size_t kManySentences = 1024;

// The parts of the line between white space of any kind that Unicode has.
std::vector<absl::string_view> SplitAtSpaces(absl::string_view line) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= line.size();) {
    const size_t space =
        i < line.size() ? WhiteSpaceBytes(line.substr(i)) : size_t{1};
    if (space > 0 && i > begin) parts.push_back(line.substr(begin, i - begin));
    if (space > 0) begin = i + space;
    i += std::max<size_t>(space, 1);
  }
  return parts;
}

std::vector<absl::string_view> SplitColumns(absl::string_view line) {
  if (line.find('\t') == line.npos) return SplitAtSpaces(line);
  return absl::StrSplit(line, '\t');
}

}  // namespace

std::vector<std::string> SplitTokens(absl::string_view line) {
  const std::vector<absl::string_view> tokens = SplitAtSpaces(line);
  return {tokens.begin(), tokens.end()};
}

absl::Status TaggedTextOptions::Validate() const {
  if (inputs.empty()) return absl::InvalidArgumentError("expected an input");
  if (token_column >= 0 && tag_column >= 0 && predicted_column >= -1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "expected columns from 1 on, or 0 for the last");
}

class TaggedTextReader::Body {
 public:
  Body(const TaggedTextOptions& options, std::vector<std::string> paths,
       const std::atomic<bool>* stop)
      : options_(options), lines_(std::move(paths), stop) {}

  absl::StatusOr<std::vector<TaggedSentence>> Next(size_t most) {
    std::vector<TaggedSentence> sentences;
    while (!lines_.Done() && sentences.size() < most &&
           (sentences.empty() || lines_.Ready())) {
      absl::string_view line;
      FIRTH_ASSIGN_OR_RETURN(const bool got, lines_.Next(&line));
      if (!got) {
        CloseSentence(&sentences);
        lines_.NextFile();
      } else if (options_.form == TextForm::kColumns) {
        FIRTH_RETURN_IF_ERROR(AddColumns(line, &sentences));
      } else {
        sentences.emplace_back();
        FIRTH_RETURN_IF_ERROR(AddLine(line, &sentences.back()));
      }
    }
    return sentences;
  }

 private:
  absl::Status Malformed(absl::string_view expected,
                         absl::string_view found) const {
    return absl::InvalidArgumentError(absl::StrCat(
        lines_.Place(), ": expected ", expected, ", found ", found));
  }

  absl::Status CheckLength(const TaggedSentence& sentence) const {
    if (sentence.tokens.size() <= kMostTokens) return absl::OkStatus();
    return Malformed(
        absl::StrCat("a sentence of at most ", kMostTokens, " tokens"),
        "a longer one");
  }

  absl::Status AddLine(absl::string_view line, TaggedSentence* sentence) const {
    for (const absl::string_view part : SplitAtSpaces(line)) {
      const size_t slash = part.rfind('/');
      const bool split = options_.form == TextForm::kSlashes &&
                         slash != part.npos && slash > 0 &&
                         slash + 1 < part.size();
      sentence->tokens.emplace_back(split ? part.substr(0, slash) : part);
      if (split) {
        sentence->tags.emplace_back(part.substr(slash + 1));
      } else if (options_.form == TextForm::kSlashes && options_.with_tags) {
        return Malformed("word/tag", Quote(part));
      }
    }
    return CheckLength(*sentence);
  }

  // One line of a sentence, or the empty one behind it.
  absl::Status AddColumns(absl::string_view line,
                          std::vector<TaggedSentence>* sentences) {
    const std::vector<absl::string_view> columns = SplitColumns(line);
    if (columns.empty() || SplitAtSpaces(line).empty()) {
      CloseSentence(sentences);
      return absl::OkStatus();
    }
    FIRTH_RETURN_IF_ERROR(
        AddColumn(columns, options_.token_column, line, &open_.tokens));
    if (options_.with_tags) {
      FIRTH_RETURN_IF_ERROR(
          AddColumn(columns, options_.tag_column, line, &open_.tags));
    }
    if (options_.predicted_column >= 0) {
      FIRTH_RETURN_IF_ERROR(AddColumn(columns, options_.predicted_column, line,
                                      &open_.predicted));
    }
    open_.lines.emplace_back(line);
    return CheckLength(open_);
  }

  absl::Status AddColumn(absl::Span<const absl::string_view> columns,
                         int number, absl::string_view line,
                         std::vector<std::string>* to) const {
    const size_t column =
        number == 0 ? columns.size() : static_cast<size_t>(number);
    // If the last column is the token's, the line lacks a tag.
    const size_t least = number == 0 && options_.with_tags
                             ? static_cast<size_t>(options_.token_column) + 1
                             : column;
    if (columns.size() < std::max(column, least)) {
      return Malformed(
          absl::StrCat("at least ", std::max(column, least), " columns"),
          absl::StrCat(columns.size(), " in ", Quote(line)));
    }
    if (columns[column - 1].empty()) {
      return Malformed(absl::StrCat("something in column ", column),
                       Quote(line));
    }
    to->emplace_back(columns[column - 1]);
    return absl::OkStatus();
  }

  void CloseSentence(std::vector<TaggedSentence>* sentences) {
    if (open_.tokens.empty()) return;
    sentences->push_back(std::exchange(open_, {}));
  }

  TaggedTextOptions options_;
  LineReader lines_;
  TaggedSentence open_;  // in columns: the sentence that lines are added to
};

TaggedTextReader::TaggedTextReader(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
TaggedTextReader::~TaggedTextReader() = default;
TaggedTextReader::TaggedTextReader(TaggedTextReader&&) noexcept = default;

absl::StatusOr<TaggedTextReader> TaggedTextReader::Open(
    const TaggedTextOptions& options, const std::atomic<bool>* stop) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_ASSIGN_OR_RETURN(auto paths, ExpandInputs(options.inputs));
  return TaggedTextReader(
      std::make_unique<Body>(options, std::move(paths), stop));
}

absl::StatusOr<std::vector<TaggedSentence>> TaggedTextReader::Next(
    size_t most) {
  return body_->Next(most);
}

absl::StatusOr<std::vector<TaggedSentence>> ReadTaggedText(
    const TaggedTextOptions& options, const std::atomic<bool>* stop) {
  FIRTH_ASSIGN_OR_RETURN(TaggedTextReader reader,
                         TaggedTextReader::Open(options, stop));
  std::vector<TaggedSentence> all;
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<TaggedSentence> some,
                           reader.Next(kManySentences));
    if (some.empty()) break;
    for (TaggedSentence& sentence : some) {
      if (!sentence.tokens.empty()) all.push_back(std::move(sentence));
    }
  }
  if (!all.empty()) return all;
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(options.inputs, ", "),
                   ": expected sentences, found no token"));
}

}  // namespace firth
