#include "classify/score_labels.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "classify/label_scorer.h"
#include "classify/text_labels.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Maximum number of texts scored at once, and of their probabilities.
constexpr size_t kMostScoredTexts = 4096;
constexpr size_t kMostProbabilities = size_t{1} << 24;

}  // namespace

absl::StatusOr<LabelScores> ScoreLabels(const Classifier& classifier,
                                        absl::Span<const LabelledText> texts,
                                        const PredictOptions& options,
                                        const Hooks& hooks,
                                        absl::string_view removed_prefix) {
  const std::vector<std::string>& labels = classifier.labels();
  const bool needs_prefix = !removed_prefix.empty() &&
                            !HaveLabelAmong(labels, texts) &&
                            HaveLabelAmong(labels, texts, removed_prefix);
  if (!needs_prefix) {
    FIRTH_RETURN_IF_ERROR(
        CheckLabelsAmong(labels, texts, "the texts", "the classifier"));
  }
  return ScoreAnyLabels(classifier, texts, options, hooks,
                        needs_prefix ? removed_prefix : "");
}

absl::StatusOr<LabelScores> ScoreAnyLabels(const Classifier& classifier,
                                           absl::Span<const LabelledText> texts,
                                           const PredictOptions& options,
                                           const Hooks& hooks,
                                           absl::string_view prefix) {
  if (texts.empty()) {
    return absl::InvalidArgumentError("there are no texts to measure on");
  }
  const size_t labels = classifier.labels().size();
  const size_t step =
      std::clamp<size_t>(kMostProbabilities / labels, 1, kMostScoredTexts);
  const Hooks stop{.stop = hooks.stop};
  LabelScorer scorer(classifier.labels(), classifier.has_several_labels(),
                     prefix);
  std::vector<absl::string_view> views;
  std::vector<float> probabilities;
  for (size_t begin = 0; begin < texts.size(); begin += step) {
    const auto some = texts.subspan(begin, step);
    views.clear();
    for (const LabelledText& text : some) views.emplace_back(text.text);
    probabilities.resize(some.size() * labels);
    FIRTH_RETURN_IF_ERROR(classifier.Probabilities(
        views, absl::MakeSpan(probabilities), options.threads, stop));
    FIRTH_ASSIGN_OR_RETURN(const auto found,
                           classifier.Predict(views, options, stop));
    for (size_t i = 0; i < some.size(); ++i) {
      scorer.Add(some[i],
                 absl::MakeConstSpan(probabilities).subspan(i * labels, labels),
                 found[i]);
    }
    hooks.ReportWork(begin + some.size(), texts.size());
  }
  return scorer.Finish();
}

}  // namespace firth
