// The formulas of classify/model/classifier_model.h, written once more and
// slowly.

#ifndef FIRTH_TESTS_CLASSIFY_MODEL_PLAIN_CLASSIFIER_H_
#define FIRTH_TESTS_CLASSIFY_MODEL_PLAIN_CLASSIFIER_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "classify/model/classifier_model.h"

namespace firth {

// Of each label. The model reads no contextualizer.
std::vector<double> PlainProbabilities(const ClassifierModel& model,
                                       absl::string_view text);

}  // namespace firth

#endif  // FIRTH_TESTS_CLASSIFY_MODEL_PLAIN_CLASSIFIER_H_
