// Decides which of two models is better on one test set, and whether the
// difference may be due to chance. Both answer the same questions, so the tests
// are paired. Questions that both get right or both get wrong carry no
// information.

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/evaluate.h"
#include "firth/evaluate_texts.h"
#include "firth/proportions.h"
#include "query/statistics.h"

namespace firth {
namespace {

constexpr int kExchanges = 10000;

PairedAccuracy CompareSection(const std::string& name,
                              absl::Span<const AnalogyOutcome> first,
                              absl::Span<const AnalogyOutcome> second) {
  PairedAccuracy result;
  result.section = name;
  uint64_t only_first = 0, only_second = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool both_asked = first[i] != AnalogyOutcome::kNotAsked &&
                            second[i] != AnalogyOutcome::kNotAsked;
    if (!both_asked) continue;
    const bool a = first[i] == AnalogyOutcome::kRight;
    const bool b = second[i] == AnalogyOutcome::kRight;
    ++result.asked;
    result.correct[0] += a;
    result.correct[1] += b;
    only_first += a && !b;
    only_second += b && !a;
  }
  result.p = McNemarP(only_first, only_second);
  return result;
}

absl::Status DifferentQuestions(const std::string& first,
                                const std::string& second) {
  return absl::InvalidArgumentError(absl::StrCat(
      "results of different questions cannot be compared: those of ", first,
      " and those of ", second));
}

// Returns the difference of the two correlations after a coin flip for each
// pair of words decides whether the models' ranks are exchanged.
double DifferenceByChance(absl::Span<const double> people,
                          const std::vector<double>& first,
                          const std::vector<double>& second, Rng* rng) {
  std::vector<double> a = first, b = second;
  for (size_t i = 0; i < a.size(); ++i) {
    if (rng->Below(2) == 1) std::swap(a[i], b[i]);
  }
  return std::abs(PearsonCorrelation(people, a) -
                  PearsonCorrelation(people, b));
}

// Returns the two-sided p-value of the difference of two means of the same
// queries, by exchanging the two values of each query or not, at random.
double PairedMeansP(absl::Span<const double> first,
                    absl::Span<const double> second) {
  double sum = 0;
  for (size_t i = 0; i < first.size(); ++i) sum += first[i] - second[i];
  Rng rng(1);
  int as_great = 1;  // counts the measured difference
  for (int exchange = 0; exchange < kExchanges; ++exchange) {
    double by_chance = 0;
    for (size_t i = 0; i < first.size(); ++i) {
      const double difference = first[i] - second[i];
      by_chance += rng.Below(2) == 1 ? -difference : difference;
    }
    // Sums in another order differ by rounding errors.
    as_great += std::abs(by_chance) >= std::abs(sum) * (1 - 1e-9);
  }
  return static_cast<double>(as_great) / (kExchanges + 1);
}

PairedRanking CompareRankings(const RankingQuality& first,
                              const RankingQuality& second) {
  return {{first.ndcg, second.ndcg},
          {first.mrr, second.mrr},
          {first.recall, second.recall},
          PairedMeansP(first.ndcgs, second.ndcgs)};
}

}  // namespace

absl::StatusOr<std::vector<PairedAccuracy>> Compare(
    const AnalogyResult& first, const AnalogyResult& second) {
  const bool same =
      std::equal(first.sections.begin(), first.sections.end(),
                 second.sections.begin(), second.sections.end(),
                 [](const AnalogySection& a, const AnalogySection& b) {
                   return a.name == b.name && a.total == b.total;
                 });
  if (!same || first.outcomes.size() != second.outcomes.size() ||
      first.outcomes.size() != first.total) {
    return DifferentQuestions(first.file, second.file);
  }
  const auto a = absl::MakeConstSpan(first.outcomes);
  const auto b = absl::MakeConstSpan(second.outcomes);
  std::vector<PairedAccuracy> results;
  size_t begin = 0;
  for (const AnalogySection& section : first.sections) {
    results.push_back(CompareSection(section.name,
                                     a.subspan(begin, section.total),
                                     b.subspan(begin, section.total)));
    begin += section.total;
  }
  results.push_back(CompareSection("total", a, b));
  return results;
}

absl::StatusOr<PairedCorrelation> Compare(const SimilarityResult& first,
                                          const SimilarityResult& second) {
  if (first.scores != second.scores ||
      first.cosines.size() != first.scores.size() ||
      second.cosines.size() != first.scores.size()) {
    return DifferentQuestions(first.file, second.file);
  }
  std::vector<double> people, a, b;
  for (size_t i = 0; i < first.scores.size(); ++i) {
    if (std::isnan(first.cosines[i]) || std::isnan(second.cosines[i])) continue;
    people.push_back(first.scores[i]);
    a.push_back(first.cosines[i]);
    b.push_back(second.cosines[i]);
  }
  people = AverageRanks(people);
  a = AverageRanks(a);
  b = AverageRanks(b);
  PairedCorrelation result;
  result.file = first.file;
  result.asked = people.size();
  result.spearman = {PearsonCorrelation(people, a),
                     PearsonCorrelation(people, b)};
  const double difference = std::abs(result.spearman[0] - result.spearman[1]);
  if (std::isnan(difference)) return result;
  Rng rng(1);
  int as_great = 1;  // counts the measured difference
  for (int i = 0; i < kExchanges; ++i) {
    // Rounding must not make an equal difference count as smaller.
    as_great +=
        DifferenceByChance(people, a, b, &rng) >= difference * (1 - 1e-12);
  }
  result.p = static_cast<double>(as_great) / (kExchanges + 1);
  return result;
}

absl::StatusOr<PairedRetrieval> Compare(const RetrievalResult& first,
                                        const RetrievalResult& second) {
  // BM25 does not depend on the model.
  if (first.documents != second.documents || first.asked != second.asked ||
      first.bm25.ndcgs != second.bm25.ndcgs) {
    return DifferentQuestions(first.folder, second.folder);
  }
  return PairedRetrieval{first.folder, first.asked,
                         CompareRankings(first.vectors, second.vectors),
                         CompareRankings(first.hybrid, second.hybrid)};
}

}  // namespace firth
