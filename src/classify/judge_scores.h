// Measures the scores of texts whose labels are known.

#ifndef FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_
#define FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_

#include <vector>

#include "classify/calibration.h"
#include "classify/classifier_model.h"
#include "classify/text_labels.h"

namespace firth {

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

#endif  // FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_
