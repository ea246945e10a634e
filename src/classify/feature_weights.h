// What each feature of a text adds to the scores of the labels.

#ifndef FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_
#define FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "firth/classifier.h"

namespace firth {

// With the names of classifier_model.h.
struct FeatureValue {
  uint32_t row;
  float wide;  // x_f; 0 without a wide part
  float deep;  // t_f / sum t
};
std::vector<FeatureValue> FeatureValues(const ClassifierModel& model,
                                        absl::Span<const FeatureCount> counts);

// Sets the scores without bias of a text that has these features: [labels, or
// rows of the output table]. What a contextualizer adds is left out.
void SumScores(const ClassifierModel& model,
               absl::Span<const FeatureValue> values, absl::Span<float> scores);

// What a feature adds to the score of one label, for any of its values. Of a
// softmax it is what it adds above the mean of all labels, since what is added
// to all of them changes nothing; of a tree, what it adds to the turns on the
// way to the label.
class LabelWeights {
 public:
  // Borrows the model.
  LabelWeights(const ClassifierModel& model, size_t label);
  double Of(const FeatureValue& value);

 private:
  double WideWeight(uint32_t row);
  double DeepWeight(uint32_t row);

  const ClassifierModel& model_;
  size_t label_;
  std::vector<float> wide_;     // a row
  std::vector<float> input_;    // a row
  std::vector<double> output_;  // what input rows are multiplied with
};

// See Classifier::Explain() and Classifier::Strongest().
std::vector<NgramWeight> ExplainText(const ClassifierModel& model,
                                     absl::string_view text, size_t label,
                                     size_t count);
std::vector<NgramWeight> StrongestNgrams(const ClassifierModel& model,
                                         size_t label, size_t count);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_
