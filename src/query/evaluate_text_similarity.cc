// Evaluates a file of pairs of texts with human scores, such as the STS
// benchmark.

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "firth/evaluate_texts.h"
#include "firth/status_macros.h"
#include "query/statistics.h"
#include "query/test_set_lines.h"
#include "query/test_texts.h"

namespace firth {
namespace {

using TextColumns = std::vector<absl::string_view>;

constexpr size_t kColumns = 3;

std::optional<double> ScoreIn(absl::string_view text) {
  double score;
  if (!absl::SimpleAtod(text, &score) || !std::isfinite(score)) {
    return std::nullopt;
  }
  return score;
}

// A malformed number such as 7,5 is not a heading.
bool IsHeading(absl::string_view text) {
  return !text.empty() && !absl::StrContains("+-.0123456789", text[0]);
}

struct ScoredPair {
  double score;
  absl::string_view a, b;
};

// Reads lines whose order of columns is that of the first line.
class ScoredPairs {
 public:
  explicit ScoredPairs(TestSetLines* lines) : lines_(*lines) {}

  // Returns nothing after the last line.
  absl::StatusOr<std::optional<ScoredPair>> Next() {
    absl::string_view line;
    while (lines_.Next(&line)) {
      const TextColumns columns = absl::StrSplit(line, '\t');
      if (columns.size() < kColumns) {
        return lines_.Error(
            "3 columns separated by tabs (score, text, text, or text, text, "
            "score)",
            absl::StrCat(columns.size()));
      }
      const bool first = std::exchange(first_, false);
      if (first && IsHeading(columns[0]) && IsHeading(columns[2]) &&
          !ScoreIn(columns[0]) && !ScoreIn(columns[2])) {
        continue;
      }
      return PairOf(columns);
    }
    return std::nullopt;
  }

 private:
  absl::StatusOr<std::optional<ScoredPair>> PairOf(const TextColumns& columns) {
    if (!score_column_.has_value()) {
      if (ScoreIn(columns[0]).has_value()) {
        score_column_ = 0;
      } else if (ScoreIn(columns[2]).has_value()) {
        score_column_ = 2;
      } else {
        return lines_.Error(
            "a number in column 1 or 3",
            absl::StrCat(Quote(columns[0]), " and ", Quote(columns[2])));
      }
    }
    const std::optional<double> score = ScoreIn(columns[*score_column_]);
    if (!score.has_value()) {
      return lines_.Error(
          absl::StrCat("a number in column ", *score_column_ + 1),
          Quote(columns[*score_column_]));
    }
    const size_t a = *score_column_ == 0 ? 1 : 0;
    return ScoredPair{*score, columns[a], columns[a + 1]};
  }

  TestSetLines& lines_;
  bool first_ = true;
  std::optional<size_t> score_column_;
};

// Returns the cosine of two unit vectors, or NaN if one of them is zero.
double CosineOf(absl::Span<const float> a, absl::Span<const float> b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  if (aa == 0 || bb == 0) return std::numeric_limits<double>::quiet_NaN();
  return dot / std::sqrt(aa * bb);
}

absl::Status ReadTextScores(TestSetLines& lines, TestTexts& texts,
                            const Hooks& hooks, SimilarityResult* result) {
  ScoredPairs pairs(&lines);
  for (;;) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    FIRTH_ASSIGN_OR_RETURN(const std::optional<ScoredPair> pair, pairs.Next());
    if (!pair.has_value()) return absl::OkStatus();
    FIRTH_ASSIGN_OR_RETURN(const std::vector<float> a,
                           lines.InLine(texts.UnitVector(pair->a)));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<float> b,
                           lines.InLine(texts.UnitVector(pair->b)));
    result->scores.push_back(pair->score);
    result->cosines.push_back(CosineOf(a, b));
  }
}

}  // namespace

absl::StatusOr<SimilarityResult> EvaluateTextSimilarity(
    const WordVectors& vectors, const std::string& path,
    const EvaluateTextsOptions& options, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(TestTexts texts, TestTexts::Create(vectors, options));
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::OpenTexts(path));
  SimilarityResult result;
  result.file = path;
  FIRTH_RETURN_IF_ERROR(ReadTextScores(lines, texts, hooks, &result));
  if (result.scores.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the file contains no lines of score, text, text"));
  }
  result.folded = texts.folded();
  Correlate(&result);
  return result;
}

}  // namespace firth
