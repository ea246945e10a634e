// The contribution of each feature of a text to the scores of the labels.

#ifndef FIRTH_CLASSIFY_MODEL_FEATURE_WEIGHTS_H_
#define FIRTH_CLASSIFY_MODEL_FEATURE_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/model/classifier_model.h"
#include "classify/model/label_tree.h"
#include "firth/classifier.h"

namespace firth {

// The values of a feature, with the names of classifier_model.h.
struct FeatureValue {
  uint32_t row;
  float wide;  // x_f; 0 without a wide part
  float deep;  // t_f / sum t
};
std::vector<FeatureValue> FeatureValues(const ClassifierModel& model,
                                        absl::Span<const FeatureCount> counts);

// Returns what is subtracted from a row of the wide table, because adding the
// same to all labels changes no probability: its mean with a softmax, otherwise
// 0.
double WideMean(const ClassifierModel& model, absl::Span<const float> row);

// Sets `scores` to the scores, without bias, of a text that has these features:
// [labels, or rows of the output table]. The contribution of a contextualizer
// is left out.
void SumScores(const ClassifierModel& model,
               absl::Span<const FeatureValue> values, absl::Span<float> scores);

// The contribution of a feature to the score of one label, for any of its
// values. With a softmax, it is the difference from the mean of all labels,
// because a contribution to all of them changes nothing. With a tree, it is the
// contribution to the branches on the path to the label.
class LabelWeights {
 public:
  // Borrows the model. `tree` is null unless the link is LabelLink::kTree.
  LabelWeights(const ClassifierModel& model, const LabelTree* tree,
               size_t label);
  double Of(const FeatureValue& value);

 private:
  double WideWeight(uint32_t row);
  double DeepWeight(uint32_t row);

  const ClassifierModel& model_;
  size_t label_;
  std::vector<float> wide_;     // one row
  std::vector<float> input_;    // one row
  std::vector<double> output_;  // multiplies input rows
};

// See Classifier::Explain().
std::vector<NgramWeight> ExplainText(const ClassifierModel& model,
                                     const LabelTree* tree,
                                     absl::string_view text, size_t label,
                                     size_t count);

// Calls visit() for each label from `first` to before `end`, in order, with the
// result of Classifier::Strongest(). `tree` is null unless the link is
// LabelLink::kTree.
void VisitStrongest(
    const ClassifierModel& model, const LabelTree* tree, size_t first,
    size_t end, size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_FEATURE_WEIGHTS_H_
