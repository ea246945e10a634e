// Evaluates a file of word pairs with human scores: how well do the cosines
// rank the pairs as people do?
//
// Test sets come in many dialects. The first line determines the dialect of a
// file, and every line must then follow it. EvaluateOptions::restrict is not
// used here because it limits answers, and these questions have none.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/statistics.h"
#include "query/test_set_lines.h"

namespace firth {
namespace {

using Columns = std::vector<absl::string_view>;

constexpr size_t kMinColumns = 3;

struct Dialect {
  char separator = ' ';      // ' ' means any white space
  bool index_first = false;  // each line starts with its number
};

Columns SplitColumns(absl::string_view line, const Dialect& dialect) {
  if (dialect.separator == ' ') {
    return absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"),
                          absl::SkipEmpty());
  }
  if (dialect.index_first) line.remove_prefix(line.find(dialect.separator) + 1);
  Columns columns = absl::StrSplit(line, dialect.separator);
  for (absl::string_view& column : columns) {
    column = absl::StripAsciiWhitespace(column);
  }
  return columns;
}

std::optional<double> ParseScore(absl::string_view text) {
  double score;
  if (!absl::SimpleAtod(text, &score) || !std::isfinite(score)) {
    return std::nullopt;
  }
  return score;
}

// A word may contain a comma, so a separator must also yield enough columns.
Dialect FindDialect(absl::string_view first_line) {
  for (const char separator : {'\t', ',', ';'}) {
    Dialect dialect = {separator, false};
    const Columns columns = SplitColumns(first_line, dialect);
    if (columns.size() < kMinColumns) continue;
    // A table saved with row numbers has an empty heading for them.
    dialect.index_first = columns[0].empty();
    return dialect;
  }
  return {};
}

// A malformed number such as 7,5 or nan is not a heading.
bool IsHeader(const Columns& columns) {
  double number;
  return columns.size() >= kMinColumns && !columns[2].empty() &&
         !absl::StrContains("+-.0123456789", columns[2][0]) &&
         !absl::SimpleAtod(columns[2], &number);
}

absl::Status AddPair(const TestSetLines& lines, const Columns& columns,
                     TestWords* words, SimilarityResult* result) {
  if (columns.size() < kMinColumns) {
    return lines.Error("3 columns (word, word, score)",
                       absl::StrCat(columns.size()));
  }
  const std::optional<double> score = ParseScore(columns[2]);
  if (!score.has_value()) {
    return lines.Error("a number in column 3", Quote(columns[2]));
  }
  FIRTH_ASSIGN_OR_RETURN(const std::optional<WordId> a,
                         lines.InLine(words->Find(columns[0])));
  FIRTH_ASSIGN_OR_RETURN(const std::optional<WordId> b,
                         lines.InLine(words->Find(columns[1])));
  const bool known = a.has_value() && b.has_value();
  result->scores.push_back(*score);
  result->cosines.push_back(
      known ? Similarity(words->Vector(*a), words->Vector(*b))
            : std::numeric_limits<double>::quiet_NaN());
  return absl::OkStatus();
}

absl::Status ReadScores(const WordVectors& vectors, TestSetLines& lines,
                        const EvaluateOptions& options, const Hooks& hooks,
                        SimilarityResult* result) {
  TestWords words(vectors, options);
  std::optional<Dialect> dialect;
  absl::string_view line;
  while (lines.Next(&line)) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const bool first = !dialect.has_value();
    if (first) dialect = FindDialect(line);
    const Columns columns = SplitColumns(line, *dialect);
    if (first && IsHeader(columns)) continue;
    FIRTH_RETURN_IF_ERROR(AddPair(lines, columns, &words, result));
  }
  result->folded = words.folded();
  return absl::OkStatus();
}

}  // namespace

void Correlate(SimilarityResult* result) {
  result->total = result->scores.size();
  std::vector<double> people, cosines;  // for the known pairs
  for (size_t i = 0; i < result->total; ++i) {
    if (std::isnan(result->cosines[i])) continue;
    people.push_back(result->scores[i]);
    cosines.push_back(result->cosines[i]);
  }
  result->asked = people.size();
  result->spearman = SpearmanCorrelation(people, cosines);
  result->pearson = PearsonCorrelation(people, cosines);
  const Interval interval = SpearmanInterval(result->spearman, result->asked);
  result->interval = {interval.low, interval.high};
}

absl::StatusOr<SimilarityResult> EvaluateSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateOptions& options, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  SimilarityResult result;
  result.file = path;
  FIRTH_RETURN_IF_ERROR(ReadScores(vectors, lines, options, hooks, &result));
  if (result.scores.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the file contains no lines of word, word, score"));
  }
  Correlate(&result);
  return result;
}

}  // namespace firth
