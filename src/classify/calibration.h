// Calibration: what the scores of a classifier's parts mean, found on texts
// that it was not trained on.
//
// A label's score is wide_scale wide + deep_scale deep + offset; its
// probability, of one label a text, the softmax of the scores (temperature
// scaling: Guo et al., "On calibration of modern neural networks", ICML 2017),
// of several labels the sigmoid (Platt, "Probabilistic outputs for support
// vector machines", 1999), and over a tree that of its turns. The scales have
// the least log loss. Targets are 1 - e and e instead of 1 and 0, where e is
// that of one wrong text more than there are (Platt, section 2.2), so that
// scales stay finite where all is right.

#ifndef FIRTH_SRC_CLASSIFY_CALIBRATION_H_
#define FIRTH_SRC_CLASSIFY_CALIBRATION_H_

#include <cstddef>
#include <vector>

#include "classify/classifier_model.h"
#include "classify/text_labels.h"

namespace firth {

struct ScoreScales {
  double wide = 0;
  double deep = 0;
  double offset = 0;  // with LabelLink::kSigmoid alone
};

// Raw scores of texts: [texts, labels] each, empty where there is no such part.
// With LabelLink::kTree `deep` has the scores of the turns on the way to a
// label of the text, those that lead to branch 0 negated: [texts, turns], with
// zeros behind them.
struct RawScores {
  size_t columns = 0;
  std::vector<float> wide;
  std::vector<float> deep;
};

// labels: of each text with scores; texts without any are passed over. The
// scales are at least 0. Where there is no text, `start`.
ScoreScales FitScales(LabelLink link, const RawScores& scores,
                      const TextLabels& labels, const ScoreScales& start);

// The probability above which each label is predicted, so that its F1 is best
// on these texts; .5 where no text has it. probabilities: [texts, labels].
std::vector<float> FitThresholds(const std::vector<float>& probabilities,
                                 const TextLabels& labels, size_t num_labels);

// The mean difference, over texts in ten bins of the probability of their most
// probable label, between it and how often it is right.
double CalibrationError(const std::vector<float>& probabilities,
                        const TextLabels& labels, size_t num_labels);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_CALIBRATION_H_
