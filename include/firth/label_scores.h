// How well labels were predicted.

#ifndef FIRTH_LABEL_SCORES_H_
#define FIRTH_LABEL_SCORES_H_

#include <cstddef>
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

struct LabelCounts {
  uint64_t gold = 0;
  uint64_t found = 0;
  uint64_t correct = 0;

  // Returns a value in [0, 1], or 0 if there is nothing to count.
  double precision() const;
  double recall() const;
  double f1() const;
};

// Texts whose most probable label has a probability in one of ten equal parts
// of [0, 1], and how often it is one of theirs.
struct CalibrationBin {
  uint64_t texts = 0;
  uint64_t correct = 0;
  double probability = 0;  // mean
};

struct LabelScores {
  uint64_t texts = 0;
  uint64_t without_words = 0;
  uint64_t with_unknown_labels = 0;  // have one that the classifier lacks
  uint64_t correct = 0;              // exactly the labels that they have
  Interval accuracy_interval;
  std::vector<std::string> labels;  // of the classifier, then those that it
                                    // does not know
  std::vector<LabelCounts> counts;  // [labels]
  // [labels, labels], gold by row, most probable by column; of texts with one
  // label, and empty above 1,000 labels.
  std::vector<uint64_t> confusion;
  LabelCounts all;      // their sum: micro averages
  double macro_f1 = 0;  // mean over labels that texts have
  // Nats a text, mean: -ln p of its label, or the mean of that over its labels;
  // where labels are independent, the sum over all labels of the nats of being
  // there or not. Probabilities are taken to be at least 2^-23 from 0 and 1.
  double log_loss = 0;
  std::vector<CalibrationBin> calibration;
  // Mean over texts of the difference, in their bin, of the probability of the
  // most probable label and the share of texts where it is right (Guo et al.,
  // "On calibration of modern neural networks", 2017, with 10 bins).
  double calibration_error = 0;
  // Whether each text was labelled right, in order: to compare classifiers.
  std::vector<bool> outcomes;

  double accuracy() const;
};

// Predicts the labels of texts and compares them with the labels that the texts
// have. removed_prefix: see LabelledTextOptions. Where no label of the texts is
// one of the classifier, they are compared with this prefix in front of them:
// fastText keeps it in its models, and only "__label__" is taken off when these
// are loaded. Errors: InvalidArgument, no text, or labels of which none is one
// of the classifier; as Classifier::Predict().
absl::StatusOr<LabelScores> ScoreLabels(const Classifier& classifier,
                                        absl::Span<const LabelledText> texts,
                                        const PredictOptions& options = {},
                                        const Hooks& hooks = {},
                                        absl::string_view removed_prefix = {});

// The same of the outcomes of two classifiers on the same texts (see
// proportions.h), which are as many.
double McNemarP(const std::vector<bool>& first,
                const std::vector<bool>& second);

// A report as JSON, as "firth classify eval --json" prints it: texts,
// without_words, with_unknown_labels, correct, accuracy, interval [low, high],
// micro and macro averages, log_loss, calibration_error, calibration (bins),
// labels (each with its counts and scores), and confusion, or null.
std::string LabelScoresJson(const LabelScores& scores);

}  // namespace firth

#endif  // FIRTH_LABEL_SCORES_H_
