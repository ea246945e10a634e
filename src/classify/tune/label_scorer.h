// LabelScorer: measures, text by text, how well labels were predicted.

#ifndef FIRTH_CLASSIFY_TUNE_LABEL_SCORER_H_
#define FIRTH_CLASSIFY_TUNE_LABEL_SCORER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/labelled_text.h"

namespace firth {

// Not thread-safe.
class LabelScorer {
 public:
  // If `independent`, a text may have any number of labels, whose probabilities
  // do not sum to 1. `prefix` is put before the labels of the texts.
  LabelScorer(std::vector<std::string> labels, bool independent,
              absl::string_view prefix = {});

  // Adds a text with its labels, the probabilities [labels] of all labels, and
  // the labels that were predicted.
  void Add(const LabelledText& text, absl::Span<const float> probabilities,
           absl::Span<const LabelProbability> found);

  LabelScores Finish();

 private:
  // Returns the index of each label. Adds unknown labels, with zero counts.
  std::vector<size_t> PositionsOf(const std::vector<std::string>& labels);
  bool CountLabels(const std::vector<size_t>& gold,
                   absl::Span<const LabelProbability> found);
  double LogLoss(const std::vector<size_t>& gold,
                 absl::Span<const float> probabilities) const;

  LabelScores scores_;
  size_t known_;  // number of labels of the classifier
  bool independent_;
  std::string prefix_;
  absl::flat_hash_map<std::string, size_t> positions_;
  // Gold label and most probable label of each text with one gold label.
  std::vector<std::pair<size_t, size_t>> pairs_;
};

// Does the same as ScoreLabels(), even if the classifier has none of the labels
// of the texts, as may happen with a small fold of a cross-validation. `prefix`
// is put before the labels of the texts.
absl::StatusOr<LabelScores> ScoreAnyLabels(const Classifier& classifier,
                                           absl::Span<const LabelledText> texts,
                                           const PredictOptions& options,
                                           const Hooks& hooks,
                                           absl::string_view prefix = {});

// Returns the best precision over all thresholds on the probabilities with a
// recall of at least `recall`, or 0 if nothing is gold.
double PrecisionAtRecall(absl::Span<const float> probabilities,
                         const std::vector<bool>& gold, double recall);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TUNE_LABEL_SCORER_H_
