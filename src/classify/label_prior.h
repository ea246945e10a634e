// The probabilities of labels for a text that has no known feature.

#ifndef FIRTH_CLASSIFY_LABEL_PRIOR_H_
#define FIRTH_CLASSIFY_LABEL_PRIOR_H_

#include <vector>

#include "classify/classifier_model.h"

namespace firth {

// Returns the fraction of the training texts that have each label, which are
// the probabilities for a text without known features. Empty for fastText
// models, which keep fastText's probabilities. Files of earlier versions do not
// contain the number of texts. If texts have several labels, the result for
// such files is the fraction of all labels instead, which is smaller.
std::vector<float> LabelPrior(const ClassifierModel& model);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_LABEL_PRIOR_H_
