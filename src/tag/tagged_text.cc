// The reader takes the lines of all inputs (LineReader) and makes sentences of
// them. With slashes, and in plain text, each line is a sentence. In columns,
// each line is a token of the open sentence, which ends at an empty line or at
// the end of the file.
//
// Whether columns are CoNLL-U is decided at the first line of a file that is
// neither blank nor starts with #. A line with # may be a comment or a token,
// so previous lines are held back until then.

#include "firth/tagged_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "corpus/byte_source.h"
#include "corpus/input_files.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr size_t kMostTokens = 65536;
constexpr size_t kManySentences = 1024;
// Maximum number of lines with # that are held back until the form is known.
constexpr size_t kMostHeldLines = 1024;

constexpr size_t kConlluColumns = 10;
constexpr int kFormColumn = 2;
constexpr int kUposColumn = 4;

enum class ConlluLine { kToken, kMultiwordToken, kEmptyNode, kNone };

// Returns the kind of the ID in the first column, such as 7, 7-8 or 7.1.
ConlluLine KindOfId(absl::string_view id) {
  const auto digits_from = [&](size_t begin) {
    size_t end = begin;
    while (end < id.size() && absl::ascii_isdigit(id[end])) ++end;
    return end;
  };
  const size_t end = digits_from(0);
  if (end == 0) return ConlluLine::kNone;
  if (end == id.size()) return ConlluLine::kToken;
  const size_t last = digits_from(end + 1);
  if (last == end + 1 || last < id.size()) return ConlluLine::kNone;
  return id[end] == '-'   ? ConlluLine::kMultiwordToken
         : id[end] == '.' ? ConlluLine::kEmptyNode
                          : ConlluLine::kNone;
}

bool IsConllu(absl::string_view line) {
  const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
  return columns.size() == kConlluColumns &&
         KindOfId(columns[0]) != ConlluLine::kNone;
}

// Splits the line at white space of any kind in Unicode.
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

size_t ConlluTokenColumn(int token_column) {
  const int column = token_column == 0   ? static_cast<int>(kConlluColumns)
                     : token_column == 1 ? kFormColumn
                                         : token_column;
  return static_cast<size_t>(column) - 1;
}

size_t ConlluTagColumn(int tag_column) {
  return static_cast<size_t>(tag_column == 0 ? kUposColumn : tag_column) - 1;
}

absl::Status TaggedTextOptions::Validate() const {
  if (inputs.empty())
    return absl::InvalidArgumentError("give at least one input file");
  if (token_column >= 0 && tag_column >= 0 && predicted_column >= -1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "columns are numbered from 1; 0 means the last one");
}

class TaggedTextReader::Body {
 public:
  Body(const TaggedTextOptions& options, std::vector<std::string> paths,
       const std::atomic<bool>* stop)
      : options_(options),
        lines_(std::move(paths), stop,
               options.skip_long ? LongLines::kLeftOut : LongLines::kRefused) {}

  absl::StatusOr<std::vector<TaggedSentence>> Next(size_t most) {
    if (!failed_.ok()) return failed_;
    std::vector<TaggedSentence> sentences;
    while (!lines_.Done() && sentences.size() < most &&
           (sentences.empty() || lines_.Ready())) {
      failed_ = ReadLine(&sentences);
      if (failed_.ok()) continue;
      if (sentences.empty()) return failed_;
      break;  // the next call returns the error
    }
    return sentences;
  }

  const PassedOverLines& passed_over() const { return passed_over_; }

 private:
  // A line that is held back until the form of its file is known.
  struct HeldLine {
    std::string place;
    std::string text;
  };

  bool has_columns() const {
    return options_.form == TextForm::kColumns ||
           options_.form == TextForm::kConllu;
  }

  // Reads a line, and adds the sentences that it completes.
  absl::Status ReadLine(std::vector<TaggedSentence>* sentences) {
    absl::string_view line;
    FIRTH_ASSIGN_OR_RETURN(const bool got, lines_.Next(&line));
    if (!got) return EndFile(sentences);
    if (has_columns()) {
      return lines_.IsLeftOut() ? LeaveOut(lines_.LeftOutMessage())
                                : AddOrHold(line, sentences);
    }
    TaggedSentence sentence;
    if (lines_.IsLeftOut()) {
      sentence.left_out = lines_.LeftOutMessage();
    } else {
      FIRTH_RETURN_IF_ERROR(AddLine(line, &sentence));
    }
    sentences->push_back(std::move(sentence));
    return absl::OkStatus();
  }

  absl::Status EndFile(std::vector<TaggedSentence>* sentences) {
    FIRTH_RETURN_IF_ERROR(ReleaseHeld(sentences));
    CloseSentence(sentences);
    CloseRest(sentences);
    is_conllu_.reset();
    lines_.NextFile();
    return absl::OkStatus();
  }

  absl::Status AddOrHold(absl::string_view line,
                         std::vector<TaggedSentence>* sentences) {
    if (options_.form == TextForm::kConllu) is_conllu_ = true;
    if (!is_conllu_.has_value()) {
      const bool waits = absl::StartsWith(line, "#") || IsBlank(line);
      if (waits && held_.size() < kMostHeldLines) {
        held_.push_back({lines_.Place(), std::string(line)});
        return absl::OkStatus();
      }
      is_conllu_ = IsConllu(line);
      FIRTH_RETURN_IF_ERROR(ReleaseHeld(sentences));
    }
    place_.clear();
    return AddTokenLine(line, sentences);
  }

  absl::Status ReleaseHeld(std::vector<TaggedSentence>* sentences) {
    for (const HeldLine& line : std::exchange(held_, {})) {
      place_ = line.place;
      FIRTH_RETURN_IF_ERROR(AddTokenLine(line.text, sentences));
    }
    return absl::OkStatus();
  }

  absl::Status AddTokenLine(absl::string_view line,
                            std::vector<TaggedSentence>* sentences) {
    if (!left_out_.empty() && !IsBlank(line)) return absl::OkStatus();
    return is_conllu_.value_or(false) ? AddConllu(line, sentences)
                                      : AddColumns(line, sentences);
  }

  absl::Status Malformed(absl::string_view expected,
                         absl::string_view found) const {
    return absl::InvalidArgumentError(
        absl::StrCat(place_.empty() ? lines_.Place() : place_, ": expected ",
                     expected, ", found ", found));
  }

  absl::Status TooLong() const {
    return Malformed(
        absl::StrCat("a sentence of at most ", kMostTokens, " tokens"),
        "a longer one");
  }

  // For columns: skips the open sentence, up to its end.
  absl::Status LeaveOut(std::string why) {
    open_ = {};
    pending_.clear();
    left_out_ = std::move(why);
    return absl::OkStatus();
  }

  absl::Status AddLine(absl::string_view line, TaggedSentence* sentence) const {
    const std::vector<absl::string_view> parts = SplitAtSpaces(line);
    if (parts.size() > kMostTokens) {
      if (!options_.skip_long) return TooLong();
      sentence->left_out = std::string(TooLong().message());
      return absl::OkStatus();
    }
    for (const absl::string_view part : parts) {
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
    return absl::OkStatus();
  }

  // Adds a line of a sentence, or closes it at an empty line.
  absl::Status AddColumns(absl::string_view line,
                          std::vector<TaggedSentence>* sentences) {
    const std::vector<absl::string_view> columns = SplitColumns(line);
    if (columns.empty() || SplitAtSpaces(line).empty()) {
      CloseSentence(sentences);
      return absl::OkStatus();
    }
    return AddToken(columns, options_.token_column, options_.tag_column, line);
  }

  // Like AddColumns(), for CoNLL-U.
  absl::Status AddConllu(absl::string_view line,
                         std::vector<TaggedSentence>* sentences) {
    if (IsBlank(line)) {
      if (open_.tokens.empty() && !pending_.empty() &&
          !absl::EndsWith(pending_, "\n\n")) {
        pending_ += "\n";
      }
      CloseSentence(sentences);
      return absl::OkStatus();
    }
    const bool is_comment = absl::StartsWith(line, "#");
    const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
    const ConlluLine kind =
        is_comment ? ConlluLine::kNone : KindOfId(columns[0]);
    if (!is_comment && kind == ConlluLine::kNone) {
      return Malformed(
          "an ID of CoNLL-U, such as 7, 7-8 or 7.1, in column 1, or a comment",
          Quote(line));
    }
    if (!is_comment && columns.size() != kConlluColumns) {
      return Malformed(absl::StrCat(kConlluColumns, " columns of CoNLL-U"),
                       absl::StrCat(columns.size(), " in ", Quote(line)));
    }
    if (kind == ConlluLine::kToken) {
      open_.passed_over.push_back(std::exchange(pending_, {}));
      return AddToken(
          columns,
          static_cast<int>(ConlluTokenColumn(options_.token_column)) + 1,
          static_cast<int>(ConlluTagColumn(options_.tag_column)) + 1, line);
    }
    PassOver(kind, line);
    return absl::OkStatus();
  }

  // Keeps and counts a line that is passed over. kNone means a comment here.
  void PassOver(ConlluLine kind, absl::string_view line) {
    ++(kind == ConlluLine::kNone             ? passed_over_.comments
       : kind == ConlluLine::kMultiwordToken ? passed_over_.multiword_tokens
                                             : passed_over_.empty_nodes);
    absl::StrAppend(&pending_, line, "\n");
  }

  absl::Status AddToken(absl::Span<const absl::string_view> columns,
                        int token_column, int tag_column,
                        absl::string_view line) {
    FIRTH_RETURN_IF_ERROR(
        AddColumn(columns, token_column, line, &open_.tokens));
    if (options_.with_tags) {
      FIRTH_RETURN_IF_ERROR(AddColumn(columns, tag_column, line, &open_.tags));
    }
    if (options_.predicted_column >= 0) {
      FIRTH_RETURN_IF_ERROR(AddColumn(columns, options_.predicted_column, line,
                                      &open_.predicted));
    }
    open_.lines.emplace_back(line);
    if (open_.tokens.size() <= kMostTokens) return absl::OkStatus();
    return options_.skip_long ? LeaveOut(std::string(TooLong().message()))
                              : TooLong();
  }

  absl::Status AddColumn(absl::Span<const absl::string_view> columns,
                         int number, absl::string_view line,
                         std::vector<std::string>* to) const {
    const size_t column =
        number == 0 ? columns.size() : static_cast<size_t>(number);
    // If the last column contains the token, the line has no tag.
    const size_t least = number == 0 && options_.with_tags
                             ? static_cast<size_t>(options_.token_column) + 1
                             : column;
    if (columns.size() < std::max(column, least)) {
      return Malformed(
          absl::StrCat("at least ", std::max(column, least), " columns"),
          absl::StrCat(columns.size(), " in ", Quote(line)));
    }
    if (columns[column - 1].empty()) {
      return Malformed(absl::StrCat("text in column ", column), Quote(line));
    }
    to->emplace_back(columns[column - 1]);
    return absl::OkStatus();
  }

  void CloseSentence(std::vector<TaggedSentence>* sentences) {
    if (!left_out_.empty()) {
      sentences->emplace_back().left_out = std::exchange(left_out_, {});
      return;
    }
    if (open_.tokens.empty()) return;
    if (!open_.passed_over.empty()) {
      open_.passed_over.push_back(std::exchange(pending_, {}));
    }
    sentences->push_back(std::exchange(open_, {}));
  }

  // Adds the lines that were passed over since the last sentence of the file.
  void CloseRest(std::vector<TaggedSentence>* sentences) {
    std::string rest = std::exchange(pending_, {});
    if (rest.empty() || !options_.with_rest) return;
    // The empty line at the end does not belong to it, as for sentences.
    if (absl::EndsWith(rest, "\n\n")) rest.pop_back();
    sentences->emplace_back();
    sentences->back().passed_over.push_back(std::move(rest));
  }

  TaggedTextOptions options_;
  LineReader lines_;
  absl::Status failed_;   // error that ended the reading
  TaggedSentence open_;   // in columns: sentence to which lines are added
  std::string left_out_;  // why the sentence is skipped, or "" if it is not

  // For columns: whether the file is CoNLL-U, and lines held back until then.
  std::optional<bool> is_conllu_;
  std::vector<HeldLine> held_;
  std::string place_;    // of a line that was held back, otherwise ""
  std::string pending_;  // lines passed over since the last token
  PassedOverLines passed_over_;
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

const PassedOverLines& TaggedTextReader::passed_over() const {
  return body_->passed_over();
}

absl::StatusOr<std::vector<TaggedSentence>> ReadTaggedText(
    const TaggedTextOptions& options, const std::atomic<bool>* stop,
    PassedOverLines* passed_over) {
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
  if (passed_over != nullptr) {
    passed_over->comments += reader.passed_over().comments;
    passed_over->multiword_tokens += reader.passed_over().multiword_tokens;
    passed_over->empty_nodes += reader.passed_over().empty_nodes;
  }
  if (!all.empty()) return all;
  return absl::InvalidArgumentError(absl::StrCat(
      absl::StrJoin(options.inputs, ", "), ": the input contains no tokens"));
}

}  // namespace firth
