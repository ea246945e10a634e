// How good the scores of texts are whose labels are known.

#ifndef FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_
#define FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_

#include <vector>

#include "classify/calibration.h"
#include "classify/classifier_model.h"
#include "classify/text_labels.h"

namespace firth {

struct JudgedScores {
  ScoreScales scales;  // those that fit best
  // With these scales: [texts, columns of the scores], of a tree its turns.
  std::vector<float> probabilities;
  // Accuracy, or micro F1 where texts have several labels, which are those that
  // are more probable than .5; over a tree the share of texts whose turns are
  // all more probable than not. 0 of no text.
  double score = 0;
};

// start: the scales where there is no text.
JudgedScores JudgeScores(LabelLink link, bool several_labels,
                         const RawScores& scores, const TextLabels& labels,
                         const ScoreScales& start);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_JUDGE_SCORES_H_
