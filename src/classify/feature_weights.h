// What each feature of a text adds to the scores of the labels.

#ifndef FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_
#define FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "classify/label_tree.h"
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

// What rows of the input are multiplied with, for the score of a label. Of a
// softmax the mean of all labels is taken off; of a tree it is the sum of the
// turns on the way to the label.
class LabelOutputs {
 public:
  // Borrows both. tree: of LabelLink::kTree, else null.
  LabelOutputs(const ClassifierModel& model, const LabelTree* tree);
  // [dim]
  std::vector<double> Of(size_t label) const;

 private:
  // sum += factor * row of the output
  void AddRow(size_t row, double factor, std::vector<double>* sum) const;

  const ClassifierModel& model_;
  const LabelTree* tree_;
  std::vector<double> mean_;  // zeros where none is taken off
};

// What a feature adds to the score of one label, for any of its values. Of a
// softmax it is what it adds above the mean of all labels, since what is added
// to all of them changes nothing; of a tree, what it adds to the turns on the
// way to the label.
class LabelWeights {
 public:
  // Borrows the model. tree: of LabelLink::kTree, else null.
  LabelWeights(const ClassifierModel& model, const LabelTree* tree,
               size_t label);
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

// See Classifier::Explain().
std::vector<NgramWeight> ExplainText(const ClassifierModel& model,
                                     const LabelTree* tree,
                                     absl::string_view text, size_t label,
                                     size_t count);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FEATURE_WEIGHTS_H_
