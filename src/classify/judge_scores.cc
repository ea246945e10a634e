#include "classify/judge_scores.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "classify/text_scorer.h"
#include "firth/proportions.h"

namespace firth {
namespace {

void CountFound(LabelLink link, bool several_labels,
                absl::Span<const float> scores, absl::Span<const uint32_t> own,
                FoundCounts* counts) {
  const auto has = [&](size_t label) {
    return std::binary_search(own.begin(), own.end(),
                              static_cast<uint32_t>(label));
  };
  counts->gold += own.size();
  if (link == LabelLink::kTree) {
    counts->found += 1;
    counts->correct += *std::min_element(scores.begin(), scores.end()) >= 0;
  } else if (several_labels) {
    for (size_t c = 0; c < scores.size(); ++c) {
      counts->found += scores[c] > 0;
      counts->correct += scores[c] > 0 && has(c);
    }
  } else {
    counts->found += 1;
    counts->correct += has(static_cast<size_t>(
        std::max_element(scores.begin(), scores.end()) - scores.begin()));
  }
}

}  // namespace

JudgedScores JudgeScores(LabelLink link, bool several_labels,
                         const RawScores& scores, const TextLabels& labels,
                         const ScoreScales& start) {
  JudgedScores judged;
  judged.scales = FitScales(link, scores, labels, start);
  const size_t columns = scores.columns;
  judged.probabilities.resize(labels.size() * columns);
  FoundCounts counts;
  for (size_t text = 0; text < labels.size(); ++text) {
    const absl::Span<float> row =
        absl::MakeSpan(judged.probabilities).subspan(text * columns, columns);
    for (size_t c = 0; c < columns; ++c) {
      const size_t at = text * columns + c;
      double score = judged.scales.offset;
      if (!scores.wide.empty()) {
        score += judged.scales.wide * static_cast<double>(scores.wide[at]);
      }
      if (!scores.deep.empty()) {
        score += judged.scales.deep * static_cast<double>(scores.deep[at]);
      }
      row[c] = static_cast<float>(score);
    }
    CountFound(link, several_labels, row, labels.Of(text), &counts);
    ToProbabilities(link, row);
  }
  judged.score = counts.f1();
  return judged;
}

}  // namespace firth
