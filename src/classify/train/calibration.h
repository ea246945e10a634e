// Calibration: how the scores of a classifier's parts translate to
// probabilities, estimated on texts that it was not trained on.
//
// A label's score is wide_scale wide + deep_scale deep + offset. With one label
// per text, its probability is the softmax of the scores (temperature scaling:
// Guo et al., "On calibration of modern neural networks", ICML 2017). With
// several labels, it is the sigmoid (Platt, "Probabilistic outputs for support
// vector machines", 1999), and over a tree the sigmoids of its branches. The
// scales minimize the log loss. Targets are 1 - e and e instead of 1 and 0,
// where e = 1 / (N + 2) for N texts (Platt, section 2.2), so that scales stay
// finite if every text is correct.

#ifndef FIRTH_CLASSIFY_TRAIN_CALIBRATION_H_
#define FIRTH_CLASSIFY_TRAIN_CALIBRATION_H_

#include <cstddef>
#include <vector>

#include "classify/model/classifier_model.h"
#include "classify/texts/text_labels.h"

namespace firth {

struct ScoreScales {
  double wide = 0;
  double deep = 0;
  double offset = 0;  // only with LabelLink::kSigmoid
};

// Uncalibrated scores, one row per text. Each part is [texts, labels], or empty
// if the model lacks it. With LabelLink::kTree, `deep` is [texts, turns]: the
// scores of the branches on the path to a label of the text, negated for branch
// 0, and padded with zeros.
struct RawScores {
  size_t columns = 0;
  std::vector<float> wide;
  std::vector<float> deep;
};

// Returns the scales of least log loss, which are at least 0, or `start` if
// there is no text. `labels` are those of each text with scores. Texts without
// labels are skipped.
ScoreScales FitScales(LabelLink link, const RawScores& scores,
                      const TextLabels& labels, const ScoreScales& start);

// Returns, for each label, the probability threshold that gives the best F1 on
// these texts, or .5 if no text has the label. probabilities: [texts, labels].
std::vector<float> FitThresholds(const std::vector<float>& probabilities,
                                 const TextLabels& labels, size_t num_labels);

// Returns the mean difference between the probability of the most probable
// label and how often that label is correct, with texts in ten bins of that
// probability.
double CalibrationError(const std::vector<float>& probabilities,
                        const TextLabels& labels, size_t num_labels);

struct JudgedScores {
  ScoreScales scales;  // those that fit best
  // Probabilities with these scales: [texts, columns of the scores], which for
  // a tree are its branches.
  std::vector<float> probabilities;
  // Accuracy, or, if texts have several labels, micro F1 of the labels with a
  // probability above .5. With a tree, the fraction of texts for which all
  // branches have a probability above .5. 0 if there is no text.
  double score = 0;
};

// Fits the scales and measures with them. `start` are the scales if there is no
// text.
JudgedScores JudgeScores(LabelLink link, bool several_labels,
                         const RawScores& scores, const TextLabels& labels,
                         const ScoreScales& start);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TRAIN_CALIBRATION_H_
