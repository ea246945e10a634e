// Measures how well labels were predicted.

#ifndef FIRTH_LABEL_SCORES_H_
#define FIRTH_LABEL_SCORES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/classifier.h"
#include "firth/labelled_text.h"
#include "firth/progress.h"
#include "firth/proportions.h"

namespace firth {

// Texts whose most probable label has a probability in one of ten equal parts
// of [0, 1], and how many of them have that label.
struct CalibrationBin {
  uint64_t texts = 0;
  uint64_t correct = 0;
  double probability = 0;  // Mean probability of the most probable label.
};

struct LabelScores {
  uint64_t texts = 0;
  uint64_t without_words = 0;
  // Texts that have a label unknown to the classifier.
  uint64_t with_unknown_labels = 0;
  // Texts whose predicted labels are exactly their labels.
  uint64_t correct = 0;
  Interval accuracy_interval;
  // Labels of the classifier, followed by unknown labels of the texts.
  std::vector<std::string> labels;
  std::vector<FoundCounts> counts;  // One entry per label.
  // Confusion matrix [labels, labels] of texts with one label: true label by
  // row, most probable label by column. Empty for more than 1,000 labels.
  std::vector<uint64_t> confusion;
  FoundCounts all;      // Sums over all labels, for micro averages.
  double macro_f1 = 0;  // Mean F1 over the labels that texts have.
  // Mean log loss in nats per text: -ln p of its label, or the mean of this
  // over its labels. If labels are independent, it is the sum over all labels
  // of the loss of their presence or absence. Probabilities are clipped to at
  // least 2^-23 from 0 and 1.
  double log_loss = 0;
  std::vector<CalibrationBin> calibration;
  // Expected calibration error: the mean over texts of the difference, within
  // their bin, between the probability of the most probable label and the
  // fraction of texts that have it (Guo et al., "On calibration of modern
  // neural networks", 2017, with 10 bins).
  double calibration_error = 0;
  // Whether each text was labeled correctly, in order, for comparing
  // classifiers.
  std::vector<bool> outcomes;

  double accuracy() const;
};

// Predicts the labels of texts and compares them with the texts' own labels.
// `removed_prefix` is that of LabelledTextOptions. If no label of the texts is
// known to the classifier, they are compared with this prefix added: fastText
// keeps the prefix in its models, and loading removes only "__label__". Errors:
// InvalidArgument, no text, or no label of the texts is known to the
// classifier; as for Classifier::Predict().
absl::StatusOr<LabelScores> ScoreLabels(const Classifier& classifier,
                                        absl::Span<const LabelledText> texts,
                                        const PredictOptions& options = {},
                                        const Hooks& hooks = {},
                                        absl::string_view removed_prefix = {});

// McNemar's p value for the outcomes of two classifiers on the same texts (see
// proportions.h). Both must have the same length.
double McNemarP(const std::vector<bool>& first,
                const std::vector<bool>& second);

// Returns the scores as JSON, as printed by "firth classify eval --json":
// texts, without_words, with_unknown_labels, correct, accuracy, interval [low,
// high], micro and macro averages, log_loss, calibration_error, calibration
// (bins), labels (each with its counts and scores), and confusion, which may be
// null.
std::string LabelScoresJson(const LabelScores& scores);

}  // namespace firth

#endif  // FIRTH_LABEL_SCORES_H_
