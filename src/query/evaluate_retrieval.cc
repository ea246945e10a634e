// Evaluates rankings of documents: by the cosines of vectors of texts, by BM25,
// and by both together.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/normal_quantile.h"
#include "base/quote.h"
#include "firth/evaluate_texts.h"
#include "firth/status_macros.h"
#include "query/bm25.h"
#include "query/test_set_lines.h"
#include "query/test_texts.h"

namespace firth {
namespace {

constexpr size_t kRankedForNdcg = 10;
constexpr size_t kRankedForRecall = 100;

// The grades of the judged documents of a query, by index of the document.
using Grades = absl::flat_hash_map<size_t, double>;

// Texts with ids, in the order of the file.
struct TextFile {
  std::vector<std::string> texts;
  absl::flat_hash_map<std::string, size_t> index;
};

struct Collection {
  TextFile documents, queries;
  std::vector<Grades> grades;  // One per query.
};

absl::StatusOr<TextFile> ReadTexts(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::OpenTexts(path));
  TextFile file;
  absl::string_view line;
  while (lines.Next(&line)) {
    const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
    if (columns[0].empty()) {
      return lines.Error("an id and a text, separated by a tab", "no id");
    }
    if (!file.index.try_emplace(columns[0], file.texts.size()).second) {
      return lines.Error("an id that occurs only once", Quote(columns[0]));
    }
    file.texts.push_back(
        absl::StrJoin(columns.begin() + 1, columns.end(), " "));
  }
  if (!file.texts.empty()) return file;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the file contains no lines of id, text"));
}

absl::StatusOr<size_t> IndexOf(const TextFile& file, const TestSetLines& lines,
                               absl::string_view what, absl::string_view id) {
  const auto found = file.index.find(id);
  if (found != file.index.end()) return found->second;
  return lines.Error(absl::StrCat("the id of a ", what), Quote(id));
}

absl::Status ReadGrade(const TestSetLines& lines, absl::string_view line,
                       Collection* collection) {
  const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
  if (columns.size() != 2 && columns.size() != 3) {
    return lines.Error(
        "2 or 3 columns separated by tabs (query, document, grade)",
        absl::StrCat(columns.size()));
  }
  FIRTH_ASSIGN_OR_RETURN(const size_t query, IndexOf(collection->queries, lines,
                                                     "query", columns[0]));
  FIRTH_ASSIGN_OR_RETURN(
      const size_t document,
      IndexOf(collection->documents, lines, "document", columns[1]));
  double grade = 1;
  if (columns.size() == 3 && (!absl::SimpleAtod(columns[2], &grade) ||
                              !std::isfinite(grade) || grade < 0)) {
    return lines.Error("a grade that is 0 or more", Quote(columns[2]));
  }
  if (collection->grades[query].try_emplace(document, grade).second) {
    return absl::OkStatus();
  }
  return lines.Error("one line for each query and document", "another one");
}

absl::StatusOr<Collection> ReadCollection(const std::string& folder) {
  Collection collection;
  FIRTH_ASSIGN_OR_RETURN(collection.documents,
                         ReadTexts(folder + "/documents.tsv"));
  FIRTH_ASSIGN_OR_RETURN(collection.queries,
                         ReadTexts(folder + "/queries.tsv"));
  collection.grades.resize(collection.queries.texts.size());
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines,
                         TestSetLines::Open(folder + "/relevant.tsv"));
  absl::string_view line;
  while (lines.Next(&line)) {
    FIRTH_RETURN_IF_ERROR(ReadGrade(lines, line, &collection));
  }
  return collection;
}

// The unit vectors of texts, or zeros [texts, dim].
class UnitRows {
 public:
  static absl::StatusOr<UnitRows> Create(const std::vector<std::string>& texts,
                                         const Hooks& hooks,
                                         TestTexts* encoder) {
    UnitRows rows;
    for (const std::string& text : texts) {
      if (hooks.StopRequested()) return absl::CancelledError("interrupted");
      FIRTH_ASSIGN_OR_RETURN(rows.rows_.emplace_back(),
                             encoder->UnitVector(text));
    }
    return rows;
  }
  const std::vector<float>& operator[](size_t i) const { return rows_[i]; }
  size_t size() const { return rows_.size(); }

 private:
  std::vector<std::vector<float>> rows_;
};

// Scores of all documents for a query, and which of them are ranked.
struct Scores {
  std::vector<double> values;
  std::vector<bool> ranked;
};

bool IsZero(const std::vector<float>& row) {
  return std::all_of(row.begin(), row.end(), [](float x) { return x == 0; });
}

Scores CosineScores(const UnitRows& documents,
                    const std::vector<float>& query) {
  Scores scores{std::vector<double>(documents.size()),
                std::vector<bool>(documents.size())};
  if (IsZero(query)) return scores;
  for (size_t i = 0; i < documents.size(); ++i) {
    const std::vector<float>& document = documents[i];
    scores.ranked[i] = !IsZero(document);
    scores.values[i] =
        std::inner_product(query.begin(), query.end(), document.begin(), 0.0);
  }
  return scores;
}

Scores WordScores(const Bm25& bm25, const std::string& query) {
  Scores scores{bm25.Scores(query), std::vector<bool>(bm25.size())};
  for (size_t i = 0; i < bm25.size(); ++i) {
    scores.ranked[i] = scores.values[i] > 0;
  }
  return scores;
}

// Adds the z-scores of `values` to `sum`; those of equal values are 0.
void AddZScores(const std::vector<double>& values, std::vector<double>* sum) {
  const auto count = static_cast<double>(values.size());
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (!(squares > 0)) return;
  const double factor = 1 / std::sqrt(squares / count);
  for (size_t i = 0; i < values.size(); ++i) {
    (*sum)[i] += (values[i] - mean) * factor;
  }
}

Scores HybridScores(const Scores& a, const Scores& b) {
  Scores scores{std::vector<double>(a.values.size()), a.ranked};
  AddZScores(a.values, &scores.values);
  AddZScores(b.values, &scores.values);
  for (size_t i = 0; i < b.ranked.size(); ++i) {
    scores.ranked[i] = scores.ranked[i] || b.ranked[i];
  }
  return scores;
}

// Quality of the ranking of one query.
struct QueryQuality {
  double ndcg = 0, reciprocal_rank = 0, recall = 0;
};

// Returns the best possible gain of the documents that count for nDCG.
double BestGain(const Grades& grades) {
  std::vector<double> best;
  for (const auto& [document, grade] : grades) best.push_back(grade);
  std::sort(best.rbegin(), best.rend());
  double gain = 0;
  for (size_t i = 0; i < std::min(best.size(), kRankedForNdcg); ++i) {
    gain += best[i] / std::log2(i + 2);
  }
  return gain;
}

// Documents with equal scores, at the ranks [begin, end), from 0.
struct Tie {
  size_t begin, end;
  size_t relevant = 0;  // Number of relevant ones.
  double grades = 0;    // Sum of their grades.

  double size() const { return static_cast<double>(end - begin); }
  // Returns how many of the ranks are below `limit`.
  double Within(size_t limit) const {
    return static_cast<double>(std::min(end, limit) - std::min(begin, limit));
  }
};

// Returns the expected reciprocal of the rank of the first relevant document of
// a tie in random order.
double ReciprocalRank(const Tie& tie) {
  double expected = 0;
  double none_before = 1;  // The probability.
  for (size_t rank = tie.begin; rank < tie.end; ++rank) {
    const auto left = static_cast<double>(tie.end - rank);
    const double next = std::min(static_cast<double>(tie.relevant) / left, 1.0);
    expected += none_before * next / static_cast<double>(rank + 1);
    none_before *= 1 - next;
  }
  return expected;
}

void AddTie(const Tie& tie, QueryQuality* quality) {
  if (tie.relevant == 0) return;
  double discounts = 0;
  for (size_t i = tie.begin; i < std::min(tie.end, kRankedForNdcg); ++i) {
    discounts += 1 / std::log2(i + 2);
  }
  quality->ndcg += tie.grades * discounts / tie.size();
  quality->recall += static_cast<double>(tie.relevant) *
                     tie.Within(kRankedForRecall) / tie.size();
  if (quality->reciprocal_rank == 0) {
    quality->reciprocal_rank = ReciprocalRank(tie);
  }
}

// Documents with equal scores are in random order, and their measures are
// expected values, which do not depend on the order of the file (McSherry and
// Najork, "Computing Information Retrieval Performance Measures Efficiently in
// the Presence of Tied Scores", ECIR 2008).
QueryQuality QualityOf(const Scores& scores, const Grades& grades) {
  std::vector<size_t> ranking;
  for (size_t i = 0; i < scores.values.size(); ++i) {
    if (scores.ranked[i]) ranking.push_back(i);
  }
  std::sort(ranking.begin(), ranking.end(), [&](size_t a, size_t b) {
    return scores.values[a] > scores.values[b];
  });
  QueryQuality quality;
  for (size_t begin = 0; begin < ranking.size();) {
    Tie tie{begin, begin};
    const double score = scores.values[ranking[begin]];
    for (; tie.end < ranking.size() && scores.values[ranking[tie.end]] == score;
         ++tie.end) {
      const auto grade = grades.find(ranking[tie.end]);
      if (grade == grades.end() || grade->second == 0) continue;
      ++tie.relevant;
      tie.grades += grade->second;
    }
    AddTie(tie, &quality);
    begin = tie.end;
  }
  quality.ndcg /= BestGain(grades);
  quality.recall /= static_cast<double>(
      std::count_if(grades.begin(), grades.end(),
                    [](const auto& grade) { return grade.second > 0; }));
  return quality;
}

RankingQuality MeanOf(const std::vector<QueryQuality>& queries) {
  RankingQuality mean;
  const auto count = static_cast<double>(queries.size());
  for (const QueryQuality& query : queries) {
    mean.ndcg += query.ndcg / count;
    mean.mrr += query.reciprocal_rank / count;
    mean.recall += query.recall / count;
    mean.ndcgs.push_back(query.ndcg);
  }
  double squares = 0;
  for (const double ndcg : mean.ndcgs) {
    squares += (ndcg - mean.ndcg) * (ndcg - mean.ndcg);
  }
  const double error =
      queries.size() < 2 ? 1 : std::sqrt(squares / (count - 1) / count);
  mean.interval = {std::max(mean.ndcg - kZ95 * error, 0.0),
                   std::min(mean.ndcg + kZ95 * error, 1.0)};
  return mean;
}

bool HasRelevant(const Grades& grades) {
  return std::any_of(grades.begin(), grades.end(),
                     [](const auto& grade) { return grade.second > 0; });
}

}  // namespace

absl::StatusOr<RetrievalResult> EvaluateRetrieval(
    const WordVectors& vectors, const std::string& folder,
    const EvaluateTextsOptions& options, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(TestTexts encoder,
                         TestTexts::Create(vectors, options));
  FIRTH_ASSIGN_OR_RETURN(const Collection collection, ReadCollection(folder));
  std::vector<size_t> asked;
  for (size_t i = 0; i < collection.grades.size(); ++i) {
    if (HasRelevant(collection.grades[i])) asked.push_back(i);
  }
  if (asked.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder, "/relevant.tsv: no query has a relevant document"));
  }
  const std::vector<std::string>& texts = collection.queries.texts;
  FIRTH_ASSIGN_OR_RETURN(
      const UnitRows documents,
      UnitRows::Create(collection.documents.texts, hooks, &encoder));
  FIRTH_ASSIGN_OR_RETURN(const UnitRows queries,
                         UnitRows::Create(texts, hooks, &encoder));
  const Bm25 bm25(collection.documents.texts);
  std::vector<QueryQuality> by_vectors(asked.size()), by_words(asked.size()),
      by_both(asked.size());
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < asked.size(); ++i) {
    if (hooks.StopRequested()) continue;
    const size_t query = asked[i];
    const Grades& grades = collection.grades[query];
    const Scores cosines = CosineScores(documents, queries[query]);
    const Scores words = WordScores(bm25, texts[query]);
    by_vectors[i] = QualityOf(cosines, grades);
    by_words[i] = QualityOf(words, grades);
    by_both[i] = QualityOf(HybridScores(cosines, words), grades);
  }
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  return RetrievalResult{folder,          documents.size(),   asked.size(),
                         texts.size(),    MeanOf(by_vectors), MeanOf(by_words),
                         MeanOf(by_both), encoder.folded()};
}

}  // namespace firth
