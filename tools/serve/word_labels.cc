// A file is read line by line into columns of texts. Only when all values of a
// column are known is it decided whether they are numbers or categories.

#include "serve/word_labels.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/used_files.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr size_t kMostColumns = 64;
constexpr size_t kMostCategories = 10'000;
constexpr size_t kMostValueBytes = 1000;

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", Visible(text.substr(0, 60)), "\"");
}

bool IsNumber(const std::string& text, float* number) {
  return absl::SimpleAtof(text, number) && std::isfinite(*number);
}

// The values of a column as they are written.
using Texts = std::vector<std::string>;

absl::StatusOr<LabelColumn> ColumnOf(const std::string& path, std::string name,
                                     const Texts& texts) {
  LabelColumn column{std::move(name), {}, {}};
  bool has_value = false;
  bool is_number = true;
  for (const std::string& text : texts) {
    float number = std::numeric_limits<float>::quiet_NaN();
    if (!text.empty()) is_number = is_number && IsNumber(text, &number);
    has_value |= !text.empty();
    column.values.push_back(number);
  }
  if (is_number && has_value) return column;
  absl::flat_hash_map<std::string, float> ids;
  for (size_t i = 0; i < texts.size(); ++i) {
    column.values[i] = std::numeric_limits<float>::quiet_NaN();
    if (texts[i].empty()) continue;
    const auto [place, is_new] =
        ids.emplace(texts[i], static_cast<float>(ids.size()));
    if (is_new) column.categories.push_back(texts[i]);
    column.values[i] = place->second;
  }
  if (column.categories.size() > kMostCategories) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the column ", Quoted(column.name), " has ",
        column.categories.size(), " different values, but at most ",
        kMostCategories, " can be shown; leave the column out"));
  }
  // A column without any value has one category that no word has.
  if (column.categories.empty()) column.categories.emplace_back("");
  return column;
}

class Parser {
 public:
  Parser(const std::string& path, uint64_t* repeated)
      : path_(path), repeated_(repeated) {}

  absl::Status Parse(absl::string_view text) {
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++line_;
      line = absl::StripSuffix(line, "\r");
      if (line.empty()) continue;
      if (!IsUtf8(std::string(line)) || absl::StrContains(line, '\0')) {
        return Error("the line is not valid UTF-8 without NUL");
      }
      std::vector<std::string> fields = absl::StrSplit(line, '\t');
      FIRTH_RETURN_IF_ERROR(names_.empty() ? TakeNames(std::move(fields))
                                           : TakeValues(std::move(fields)));
    }
    if (!words_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        path_,
        ": expected a line with the names of columns, and lines of a "
        "word and its values, found ",
        names_.empty() ? "an empty file" : "only the names"));
  }

  absl::StatusOr<WordLabels> Finish() {
    WordLabels labels;
    labels.words = std::move(words_);
    for (size_t i = 0; i < names_.size(); ++i) {
      FIRTH_ASSIGN_OR_RETURN(LabelColumn column,
                             ColumnOf(path_, names_[i], columns_[i]));
      labels.columns.push_back(std::move(column));
    }
    return labels;
  }

 private:
  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", line_, ": ", message));
  }

  absl::Status TakeNames(std::vector<std::string> fields) {
    if (fields.size() < 2 || fields.size() > kMostColumns + 1) {
      return Error(absl::StrCat("expected the names of 2 to ", kMostColumns + 1,
                                " columns, separated by tabs, found ",
                                fields.size()));
    }
    for (size_t i = 1; i < fields.size(); ++i) {
      if (fields[i].empty() || absl::c_linear_search(names_, fields[i])) {
        return Error(absl::StrCat("expected different names of columns, found ",
                                  Quoted(fields[i]), " in column ", i + 1));
      }
      names_.push_back(std::move(fields[i]));
    }
    columns_.resize(names_.size());
    return absl::OkStatus();
  }

  absl::Status TakeValues(std::vector<std::string> fields) {
    if (fields.size() != names_.size() + 1) {
      return Error(absl::StrCat("expected ", names_.size() + 1,
                                " columns, found ", fields.size()));
    }
    const auto [place, is_new] = lines_.emplace(fields[0], line_);
    if (!is_new && repeated_ != nullptr) {
      ++*repeated_;
      return absl::OkStatus();
    }
    if (!is_new) {
      return Error(absl::StrCat("the word ", Quoted(fields[0]),
                                " is already in line ", place->second));
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      std::string& value = fields[i + 1];
      absl::StripAsciiWhitespace(&value);
      if (value.size() > kMostValueBytes) {
        return Error(absl::StrCat("expected values of at most ",
                                  kMostValueBytes, " bytes, found ",
                                  value.size()));
      }
      columns_[i].push_back(std::move(value));
    }
    words_.push_back(std::move(fields[0]));
    return absl::OkStatus();
  }

  const std::string& path_;
  uint64_t* const repeated_;  // Number of repeated words; null: refused.
  size_t line_ = 0;
  std::vector<std::string> names_;
  std::vector<Texts> columns_;
  std::vector<std::string> words_;
  absl::flat_hash_map<std::string, size_t> lines_;  // Line of each word.
};

}  // namespace

absl::StatusOr<WordLabels> ParseWordLabels(absl::string_view text,
                                           const std::string& path,
                                           uint64_t* repeated) {
  if (repeated != nullptr) *repeated = 0;
  Parser parser(path, repeated);
  FIRTH_RETURN_IF_ERROR(parser.Parse(text));
  return parser.Finish();
}

absl::StatusOr<WordLabels> ReadWordLabels(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path));
  return ParseWordLabels(text, path);
}

std::vector<LabelColumn> LabelsOf(const WordLabels& labels,
                                  absl::Span<const std::string> words,
                                  size_t* found) {
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (size_t i = 0; i < labels.words.size(); ++i) {
    places.emplace(labels.words[i], i);
  }
  *found = 0;
  std::vector<LabelColumn> columns;
  for (const LabelColumn& column : labels.columns) {
    columns.push_back({column.name, column.categories, {}});
  }
  for (const std::string& word : words) {
    const auto place = places.find(word);
    *found += place != places.end();
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i].values.push_back(
          place == places.end() ? std::numeric_limits<float>::quiet_NaN()
                                : labels.columns[i].values[place->second]);
    }
  }
  return columns;
}

}  // namespace firth::tools
