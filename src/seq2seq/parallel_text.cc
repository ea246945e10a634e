// A line of the input is read together with the line of the other file that
// belongs to it, so both files are read once and may be pipes.

#include "firth/parallel_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "corpus/byte_source.h"
#include "corpus/text_cleaner.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

constexpr std::array<absl::string_view, 2> kUnitNames = {"words", "characters"};
constexpr size_t kManyPairs = 1024;
constexpr int kMostColumns = 1000;

void AppendCharacters(absl::string_view text,
                      std::vector<std::string>* tokens) {
  while (!text.empty()) {
    const size_t bytes = DecodeUtf8(text).bytes;
    tokens->emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
}

// Returns <L> for a label L, or <<L>> if this would be a mark of the model.
std::string LabelToken(absl::string_view label) {
  std::string token = absl::StrCat("<", label, ">");
  const bool is_mark = absl::c_linear_search(kMarks, token);
  return is_mark ? absl::StrCat("<", token, ">") : token;
}

}  // namespace

FieldTable TokenOptions::Fields() {
  FieldsOf<TokenOptions> fields;
  fields.Choice("tokens", &TokenOptions::units, kUnitNames,
                "choose what a text is split into: words, which are separated "
                "by white space, or characters",
                Field().Shape().Everyday());
  fields.Add("lowercase", &TokenOptions::lowercase,
             "convert source and target to lower case", Field().Shape());
  fields.Add("split-punctuation", &TokenOptions::split_punctuation,
             "split words from punctuation at the word boundaries of Unicode, "
             "as found by ICU",
             Field().Shape().Needs({"tokens"}, {"words"}));
  return fields;
}

absl::Status TokenOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  return split_punctuation ? LoadWordBoundaries() : absl::OkStatus();
}

std::vector<std::string> TokensOf(const TokenOptions& options,
                                  absl::string_view text) {
  std::string spelled, parted;
  AppendSpelled(text, {.lowercase = options.lowercase}, &spelled);
  if (options.units == TextUnits::kCharacters) {
    std::vector<std::string> tokens;
    AppendCharacters(spelled, &tokens);
    return tokens;
  }
  if (!options.split_punctuation) return SplitTokens(spelled);
  SplitPunctuation(spelled, &parted);
  return SplitTokens(parted);
}

std::string TextOf(const TokenOptions& options,
                   absl::Span<const std::string> tokens) {
  return absl::StrJoin(tokens, options.units == TextUnits::kWords ? " " : "");
}

absl::Status ParallelTextOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(tokens.Validate());
  if (inputs.empty()) {
    return absl::InvalidArgumentError("give at least one input file");
  }
  if (!targets.empty() && targets.size() != inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected one file of targets for each of the ",
                     inputs.size(), " inputs, found ", targets.size()));
  }
  for (const int column : {source_column, target_column, label_column}) {
    if (column >= 0 && column <= kMostColumns) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a column from 0 to ", kMostColumns, ", found ", column));
  }
  const bool two_columns = with_targets && targets.empty();
  if (two_columns && (source_column == 0 || target_column == 0 ||
                      source_column == target_column)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "source-column, target-column: expected different columns, numbered "
        "from 1, found ",
        source_column, " and ", target_column,
        "; a whole line can be a source if the targets have a file of their "
        "own"));
  }
  if (label_column > 0 && (label_column == source_column ||
                           (two_columns && label_column == target_column))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "label-column: expected another column than those of source and "
        "target, found ",
        label_column));
  }
  if (max_tokens == 0 || max_tokens > 65536) {
    return absl::InvalidArgumentError(
        absl::StrCat("max-tokens: expected 1 to 65536, found ", max_tokens));
  }
  return absl::OkStatus();
}

class ParallelTextReader::Body {
 public:
  Body(const ParallelTextOptions& options, const std::atomic<bool>* stop)
      : options_(options),
        prefix_(SplitTokens(options.prefix)),
        sources_(options.inputs, stop, Long()),
        targets_(options.targets, stop, Long()) {}

  absl::StatusOr<std::vector<TextPair>> Next(size_t most) {
    if (!failed_.ok()) return failed_;
    std::vector<TextPair> pairs;
    while (!sources_.Done() && pairs.size() < most &&
           (pairs.empty() || sources_.Ready())) {
      failed_ = ReadLine(&pairs);
      if (failed_.ok()) continue;
      if (pairs.empty()) return failed_;
      break;  // the next call returns the error
    }
    return pairs;
  }
  const LeftOutPairs& left_out() const { return left_out_; }

 private:
  bool two_files() const {
    return options_.with_targets && !options_.targets.empty();
  }
  LongLines Long() const {
    return options_.keep_all ? LongLines::kLeftOut : LongLines::kRefused;
  }

  absl::Status ReadLine(std::vector<TextPair>* pairs) {
    absl::string_view source, target;
    FIRTH_ASSIGN_OR_RETURN(const bool got, sources_.Next(&source));
    if (two_files()) {
      FIRTH_ASSIGN_OR_RETURN(const bool got_target, targets_.Next(&target));
      if (got != got_target) return UnequalFiles(got);
    }
    if (!got) {
      sources_.NextFile();
      if (two_files()) targets_.NextFile();
      return absl::OkStatus();
    }
    TextPair pair;
    if (sources_.IsLeftOut()) {
      pair.left_out = sources_.LeftOutMessage();
    } else {
      FIRTH_RETURN_IF_ERROR(Split(source, target, &pair));
    }
    Take(std::move(pair), pairs);
    return absl::OkStatus();
  }

  absl::Status UnequalFiles(bool source_is_longer) const {
    const LineReader& longer = source_is_longer ? sources_ : targets_;
    const LineReader& shorter = source_is_longer ? targets_ : sources_;
    return absl::InvalidArgumentError(absl::StrCat(
        longer.Place(), ": this line has no partner, since ", shorter.file(),
        " has only ", shorter.line(), shorter.line() == 1 ? " line" : " lines",
        "; both files must have the same number of lines"));
  }

  // Returns a column, or the whole line for 0.
  absl::StatusOr<absl::string_view> Column(absl::string_view line,
                                           int number) const {
    if (number == 0) return line;
    absl::string_view rest = line;
    for (int column = 1;; ++column) {
      const size_t end = rest.find('\t');
      if (column == number) return rest.substr(0, end);
      if (end == rest.npos) {
        return absl::InvalidArgumentError(absl::StrCat(
            sources_.Place(), ": expected at least ", number,
            " columns separated by tabs, found ", column, " in ", Quote(line)));
      }
      rest.remove_prefix(end + 1);
    }
  }

  absl::Status Split(absl::string_view source_line,
                     absl::string_view target_line, TextPair* pair) const {
    const bool one_column =
        (two_files() || !options_.with_targets) && options_.label_column == 0;
    FIRTH_ASSIGN_OR_RETURN(
        const absl::string_view source,
        Column(source_line, one_column && options_.source_column == 1
                                ? 0
                                : options_.source_column));
    absl::string_view target = target_line;
    if (options_.with_targets && !two_files()) {
      FIRTH_ASSIGN_OR_RETURN(target,
                             Column(source_line, options_.target_column));
    }
    pair->source = TokensOf(options_.tokens, source);
    pair->target = TokensOf(options_.tokens, target);
    if (pair->source.empty()) return absl::OkStatus();
    std::vector<std::string> front = prefix_;
    if (options_.label_column > 0) {
      FIRTH_ASSIGN_OR_RETURN(const absl::string_view labels,
                             Column(source_line, options_.label_column));
      for (const absl::string_view label :
           absl::StrSplit(labels, absl::ByAnyChar("; "), absl::SkipEmpty())) {
        front.push_back(LabelToken(label));
      }
    }
    pair->source.insert(pair->source.begin(), front.begin(), front.end());
    return absl::OkStatus();
  }

  // Adds the pair, or counts why it is left out.
  void Take(TextPair pair, std::vector<TextPair>* pairs) {
    const size_t length = std::max(pair.source.size(), pair.target.size());
    const bool too_long =
        length > options_.max_tokens || !pair.left_out.empty();
    const bool empty =
        !too_long &&
        (pair.source.empty() || (options_.with_targets && pair.target.empty()));
    if (too_long) {
      if (left_out_.too_long++ == 0)
        left_out_.first_too_long = sources_.Place();
      if (pair.left_out.empty()) {
        pair.left_out =
            absl::StrCat(sources_.Place(), ": expected at most ",
                         options_.max_tokens, " tokens, found ", length);
      }
      pair.source.clear();
      pair.target.clear();
    }
    if (empty && left_out_.empty++ == 0) {
      left_out_.first_empty = sources_.Place();
    }
    if (options_.keep_all || (!too_long && !empty)) {
      pairs->push_back(std::move(pair));
    }
  }

  ParallelTextOptions options_;
  std::vector<std::string> prefix_;
  LineReader sources_;
  LineReader targets_;
  LeftOutPairs left_out_;
  absl::Status failed_;  // error that ended the reading
};

ParallelTextReader::ParallelTextReader(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
ParallelTextReader::~ParallelTextReader() = default;
ParallelTextReader::ParallelTextReader(ParallelTextReader&&) noexcept = default;

absl::StatusOr<ParallelTextReader> ParallelTextReader::Open(
    const ParallelTextOptions& options, const std::atomic<bool>* stop) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  return ParallelTextReader(std::make_unique<Body>(options, stop));
}

absl::StatusOr<std::vector<TextPair>> ParallelTextReader::Next(size_t most) {
  return body_->Next(most);
}

const LeftOutPairs& ParallelTextReader::left_out() const {
  return body_->left_out();
}

absl::StatusOr<std::vector<TextPair>> ReadParallelText(
    const ParallelTextOptions& options, const std::atomic<bool>* stop,
    LeftOutPairs* left_out) {
  FIRTH_ASSIGN_OR_RETURN(ParallelTextReader reader,
                         ParallelTextReader::Open(options, stop));
  std::vector<TextPair> all;
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<TextPair> some, reader.Next(kManyPairs));
    if (some.empty()) break;
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  if (left_out != nullptr) *left_out = reader.left_out();
  if (!all.empty()) return all;
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(options.inputs, ", "),
                   ": the input contains no pairs with tokens on both sides"));
}

}  // namespace firth
