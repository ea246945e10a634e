// TextScorer: the probabilities of a text's labels, by the formulas of
// classifier_model.h.

#ifndef FIRTH_SRC_CLASSIFY_TEXT_SCORER_H_
#define FIRTH_SRC_CLASSIFY_TEXT_SCORER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"
#include "classify/feature_index.h"
#include "classify/label_tree.h"
#include "classify/wide_step.h"

namespace firth {

// Turns scores into probabilities, in place. Not of a tree.
void ToProbabilities(LabelLink link, absl::Span<float> scores);

// Used by one thread at a time; borrows the model. tree: of LabelLink::kTree,
// else null.
class TextScorer {
 public:
  TextScorer(const ClassifierModel& model, const LabelTree* tree);

  // The probabilities of all labels, until the next call. context: the mean
  // states of the text's tokens, or null where the model reads none.
  absl::Span<const float> Score(absl::string_view text, const float* context);
  // Of a tree alone: the labels that are at least so probable, at most `most`;
  // see LabelTree::FindMostProbable().
  void FindMostProbable(absl::string_view text, const float* context,
                        size_t most, double least,
                        std::vector<LabelProbability>* found);

 private:
  void AddWide(absl::Span<const FeatureCount> features,
               absl::Span<float> scores);
  void SetHidden(absl::Span<const FeatureCount> features, const float* context);
  void AddDeep(absl::Span<float> scores);
  void SetLeaves(absl::Span<float> probabilities);
  // The probability of branch 1 at an inner node.
  float TurnAt(uint32_t node);

  const ClassifierModel& model_;
  const LabelTree* const tree_;
  FeatureIndex::Reader reader_;
  std::vector<WideFeature> features_;
  std::vector<float> probabilities_;  // made when all are asked for
  std::vector<float> sums_;
  std::vector<float> hidden_;
  std::vector<float> nodes_;
  std::vector<float> node_row_;
  std::vector<LabelTree::Waiting> waiting_;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TEXT_SCORER_H_
