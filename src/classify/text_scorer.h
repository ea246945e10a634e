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

// Used by one thread at a time; borrows the model and the prior. tree: of
// LabelLink::kTree, else null. prior: what the labels of a text get of which
// nothing is known; empty: what the formulas give.
class TextScorer {
 public:
  TextScorer(const ClassifierModel& model, const LabelTree* tree,
             absl::Span<const float> prior = {});

  // The probabilities of all labels, until the next call. context: the mean
  // states of the text's tokens, or null where the model reads none.
  absl::Span<const float> Score(absl::string_view text, const float* context);
  // Of a tree alone: the labels that are at least so probable, at most `most`;
  // see LabelTree::FindMostProbable().
  void FindMostProbable(absl::string_view text, const float* context,
                        size_t most, double least,
                        std::vector<LabelProbability>* found);

  // How many words and n-grams of the text that was scored last have rows, and
  // tokens of it were read in context: 0 if nothing of it is known. The end of
  // a text, which fastText reads, does not count.
  uint64_t known() const { return known_; }
  // The same of a text that is not scored.
  uint64_t CountKnown(absl::string_view text, bool has_context);

 private:
  absl::Span<const FeatureCount> Read(absl::string_view text, bool has_context);
  bool HasPriorAlone() const { return known_ == 0 && !prior_.empty(); }
  void AddWide(absl::Span<const FeatureCount> features,
               absl::Span<float> scores);
  void SetHidden(absl::Span<const FeatureCount> features, const float* context);
  void AddDeep(absl::Span<float> scores);
  void SetLeaves(absl::Span<float> probabilities);
  // The probability of branch 1 at an inner node.
  float TurnAt(uint32_t node);

  const ClassifierModel& model_;
  const LabelTree* const tree_;
  const absl::Span<const float> prior_;
  FeatureIndex::Reader reader_;
  uint64_t at_end_ = 0;  // features of every text
  uint64_t known_ = 0;
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
