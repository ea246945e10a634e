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

// The columns of a file.
struct Layout {
  size_t columns;  // At least.
  size_t score;    // Number of the score's column, from 0.
  size_t text;     // That of the first text; the second one follows.
};

constexpr size_t kColumns = 3;
// The STS benchmark as published: genre, file, year, number, score, text, text,
// and sometimes sources and licenses.
constexpr Layout kBenchmark = {7, 4, 5};

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

bool IsHeadingOf(const TextColumns& columns, const Layout& layout) {
  const absl::string_view score = columns[layout.score];
  return IsHeading(score) && !ScoreIn(score).has_value();
}

// Reads lines whose order of columns is that of the first line.
class ScoredPairs {
 public:
  explicit ScoredPairs(TestSetLines* lines) : lines_(*lines) {}

  // Returns nothing after the last line.
  absl::StatusOr<std::optional<ScoredPair>> Next() {
    absl::string_view line;
    while (lines_.Next(&line)) {
      const TextColumns columns = absl::StrSplit(line, '\t');
      const bool first = std::exchange(first_, false);
      const bool has_three = columns.size() == kColumns;
      if (!has_three && columns.size() < kBenchmark.columns) {
        return lines_.Error(
            "3 columns separated by tabs (score, text, text, or text, text, "
            "score), or the 7 of the STS benchmark",
            absl::StrCat(columns.size()));
      }
      if (first && (has_three ? IsHeadingOf(columns, {kColumns, 0, 1}) &&
                                    IsHeadingOf(columns, {kColumns, 2, 0})
                              : IsHeadingOf(columns, kBenchmark))) {
        continue;
      }
      return PairOf(columns);
    }
    return std::nullopt;
  }

 private:
  absl::StatusOr<Layout> LayoutOf(const TextColumns& columns) const {
    if (columns.size() != kColumns) return kBenchmark;
    for (const Layout& layout : {Layout{kColumns, 0, 1}, {kColumns, 2, 0}}) {
      if (ScoreIn(columns[layout.score]).has_value()) return layout;
    }
    return lines_.Error(
        "a number in column 1 or 3",
        absl::StrCat(Quote(columns[0]), " and ", Quote(columns[2])));
  }

  absl::StatusOr<std::optional<ScoredPair>> PairOf(const TextColumns& columns) {
    if (!layout_.has_value()) {
      FIRTH_ASSIGN_OR_RETURN(layout_, LayoutOf(columns));
    }
    if ((columns.size() == kColumns) != (layout_->columns == kColumns)) {
      return lines_.Error(
          absl::StrCat(layout_->columns, " columns, like the lines before"),
          absl::StrCat(columns.size()));
    }
    const std::optional<double> score = ScoreIn(columns[layout_->score]);
    if (!score.has_value()) {
      return lines_.Error(
          absl::StrCat("a number in column ", layout_->score + 1),
          Quote(columns[layout_->score]));
    }
    return ScoredPair{*score, columns[layout_->text],
                      columns[layout_->text + 1]};
  }

  TestSetLines& lines_;
  bool first_ = true;
  std::optional<Layout> layout_;
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
