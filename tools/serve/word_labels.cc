#include "serve/word_labels.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/console.h"
#include "cli/json.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr size_t kMostColumns = 64;
constexpr size_t kMostCategories = 10'000;
constexpr size_t kMostValueBytes = 1000;

absl::Status ErrorIn(const std::string& path, size_t line,
                     absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ":", line, ": ", message));
}

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

absl::Status CheckLine(const std::string& path, size_t line,
                       absl::string_view text) {
  if (!IsUtf8(std::string(text)) || text.find('\0') != text.npos) {
    return ErrorIn(path, line, "the line is not valid UTF-8 without NUL");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WordLabels> ParseWordLabels(absl::string_view text,
                                           const std::string& path) {
  WordLabels labels;
  std::vector<std::string> names;
  std::vector<Texts> columns;
  absl::flat_hash_map<std::string, size_t> lines;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    FIRTH_RETURN_IF_ERROR(CheckLine(path, number, line));
    std::vector<std::string> fields = absl::StrSplit(line, '\t');
    if (names.empty()) {
      if (fields.size() < 2 || fields.size() > kMostColumns + 1) {
        return ErrorIn(
            path, number,
            absl::StrCat("expected the names of 2 to ", kMostColumns + 1,
                         " columns, separated by tabs, found ", fields.size()));
      }
      names.assign(fields.begin() + 1, fields.end());
      for (size_t i = 0; i < names.size(); ++i) {
        const bool is_repeated =
            std::find(names.begin(), names.begin() + static_cast<long>(i),
                      names[i]) != names.begin() + static_cast<long>(i);
        if (names[i].empty() || is_repeated) {
          return ErrorIn(path, number,
                         absl::StrCat("expected different names of columns, "
                                      "found ",
                                      Quoted(names[i]), " in column ", i + 2));
        }
      }
      columns.resize(names.size());
      continue;
    }
    if (fields.size() != names.size() + 1) {
      return ErrorIn(path, number,
                     absl::StrCat("expected ", names.size() + 1,
                                  " columns, found ", fields.size()));
    }
    const auto [place, is_new] = lines.emplace(fields[0], number);
    if (!is_new) {
      return ErrorIn(path, number,
                     absl::StrCat("the word ", Quoted(fields[0]),
                                  " is already in line ", place->second));
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string& value = fields[i + 1];
      absl::StripAsciiWhitespace(&value);
      if (value.size() > kMostValueBytes) {
        return ErrorIn(
            path, number,
            absl::StrCat("expected values of at most ", kMostValueBytes,
                         " bytes, found ", value.size()));
      }
      columns[i].push_back(std::move(value));
    }
    labels.words.push_back(std::move(fields[0]));
  }
  if (labels.words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected a line with names of columns, and lines of a word and "
        "its values, found ",
        names.empty() ? "an empty file" : "only the names"));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(LabelColumn column,
                           ColumnOf(path, names[i], columns[i]));
    labels.columns.push_back(std::move(column));
  }
  return labels;
}

absl::StatusOr<WordLabels> ReadWordLabels(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
  }
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
