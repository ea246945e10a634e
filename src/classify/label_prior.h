// The probabilities of labels for a text that has no known feature.

#ifndef FIRTH_CLASSIFY_LABEL_PRIOR_H_
#define FIRTH_CLASSIFY_LABEL_PRIOR_H_

#include <vector>

#include "classify/classifier_model.h"

namespace firth {

// The fraction of the training texts that have each label: what a text gets of
// which the classifier knows nothing. Empty for models of fastText, which keep
// fastText's probabilities. Files of earlier versions do not hold how many
// texts there were: where these have several labels, the fraction is that of
// all labels instead, which is smaller.
std::vector<float> LabelPrior(const ClassifierModel& model);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_LABEL_PRIOR_H_
