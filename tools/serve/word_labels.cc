// A file is read line by line into columns of texts. Only when all values of a
// column are known is it decided whether they are numbers or categories.

#include "serve/word_labels.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
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
#include "cli/human.h"
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

bool IsMissing(absl::string_view value) {
  constexpr absl::string_view kMarks[] = {"",     "NA",   "N/A", "NaN",
                                          "null", "none", "-",   "?"};
  return absl::c_any_of(kMarks, [value](absl::string_view mark) {
    return absl::EqualsIgnoreCase(value, mark);
  });
}

// A column as it is written.
struct ColumnText {
  std::string name;
  std::vector<std::string> values = {};  // Missing ones are empty.
};

// Returns the values as numbers; NaN if a value is missing or no number. Counts
// the values that are numbers, and sets `*odd` to the index of the first that
// is neither.
std::vector<float> NumbersOf(const ColumnText& text, size_t* numbers,
                             std::optional<size_t>* odd) {
  std::vector<float> values;
  for (size_t i = 0; i < text.values.size(); ++i) {
    float& number =
        values.emplace_back(std::numeric_limits<float>::quiet_NaN());
    const std::string& value = text.values[i];
    if (value.empty()) continue;
    if (absl::SimpleAtof(value, &number) && std::isfinite(number)) {
      ++*numbers;
    } else if (!odd->has_value()) {
      *odd = i;
    }
  }
  return values;
}

absl::StatusOr<LabelColumn> CategoriesOf(const std::string& path,
                                         const ColumnText& text) {
  LabelColumn column{text.name, {}, {}};
  absl::flat_hash_map<std::string, float> ids;
  for (const std::string& value : text.values) {
    float& id =
        column.values.emplace_back(std::numeric_limits<float>::quiet_NaN());
    if (value.empty()) continue;
    const auto [place, is_new] =
        ids.emplace(value, static_cast<float>(ids.size()));
    if (is_new) column.categories.push_back(value);
    id = place->second;
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
      FIRTH_RETURN_IF_ERROR(columns_.empty() ? TakeNames(std::move(fields))
                                             : TakeValues(std::move(fields)));
    }
    if (!words_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        path_,
        ": expected a line with the names of columns, and lines of a "
        "word and its values, found ",
        columns_.empty() ? "an empty file" : "only the names"));
  }

  absl::StatusOr<WordLabels> Finish() {
    WordLabels labels;
    bool has_values = false;
    for (const ColumnText& text : columns_) {
      FIRTH_ASSIGN_OR_RETURN(LabelColumn column,
                             Finish(text, &has_values, &labels.notices));
      labels.columns.push_back(std::move(column));
    }
    labels.words = std::move(words_);
    if (has_values) return labels;
    return absl::InvalidArgumentError(
        absl::StrCat(path_,
                     ": expected values after the words, found none; each "
                     "value is empty or a mark such as NA"));
  }

 private:
  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", line_, ": ", message));
  }

  absl::StatusOr<LabelColumn> Finish(const ColumnText& text, bool* has_values,
                                     std::vector<std::string>* notices) const {
    size_t numbers = 0;
    std::optional<size_t> odd;
    LabelColumn column{text.name, {}, NumbersOf(text, &numbers, &odd)};
    *has_values |= numbers > 0 || odd.has_value();
    if (numbers > 0 && !odd.has_value()) return column;
    const size_t all =
        text.values.size() - absl::c_count(text.values, std::string());
    if (all == 0) {
      notices->push_back(absl::StrCat(path_, ": the column ", Quoted(text.name),
                                      " has no value"));
    } else if (2 * numbers > all) {
      notices->push_back(absl::StrCat(
          path_, ": the column ", Quoted(text.name),
          " is shown as categories, although ", Thousands(numbers), " of ",
          Thousands(all), " values are numbers, because line ",
          lines_.at(words_[*odd]), " has ", Quoted(text.values[*odd]),
          "; leave a missing value empty, or write NA"));
    }
    return CategoriesOf(path_, text);
  }

  absl::Status TakeNames(std::vector<std::string> fields) {
    if (fields.size() < 2 || fields.size() > kMostColumns + 1) {
      return Error(absl::StrCat("expected the names of 2 to ", kMostColumns + 1,
                                " columns, separated by tabs, found ",
                                fields.size()));
    }
    for (size_t i = 1; i < fields.size(); ++i) {
      if (absl::StripAsciiWhitespace(fields[i]).empty()) {
        return Error(absl::StrCat(
            "the name of column ", i + 1,
            " is empty; the first line must name every column after the word"));
      }
      const auto same = absl::c_find_if(
          columns_,
          [&](const ColumnText& column) { return column.name == fields[i]; });
      if (same != columns_.end()) {
        return Error(absl::StrCat("expected different names of columns, found ",
                                  Quoted(fields[i]), " in columns ",
                                  same - columns_.begin() + 2, " and ", i + 1));
      }
      columns_.push_back({std::move(fields[i])});
    }
    return absl::OkStatus();
  }

  absl::Status TakeValues(std::vector<std::string> fields) {
    if (fields.size() != columns_.size() + 1) {
      return Error(absl::StrCat("expected ", columns_.size() + 1,
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
      if (IsMissing(value)) value.clear();
      columns_[i].values.push_back(std::move(value));
    }
    words_.push_back(std::move(fields[0]));
    return absl::OkStatus();
  }

  const std::string& path_;
  uint64_t* const repeated_;  // Number of repeated words; null: refused.
  size_t line_ = 0;
  std::vector<ColumnText> columns_;
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
  FIRTH_ASSIGN_OR_RETURN(WordLabels labels, ParseWordLabels(text, path));
  for (const std::string& notice : labels.notices) PrintMessage(notice);
  return labels;
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
