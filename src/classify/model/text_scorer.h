// TextScorer: computes the probabilities of a text's labels by the formulas in
// classifier_model.h.

#ifndef FIRTH_CLASSIFY_MODEL_TEXT_SCORER_H_
#define FIRTH_CLASSIFY_MODEL_TEXT_SCORER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/features/feature_index.h"
#include "classify/features/wide_values.h"
#include "classify/model/classifier_model.h"
#include "classify/model/label_tree.h"

namespace firth {

// Returns the fraction of the training texts that have each label, which are
// the probabilities for a text without known features. Empty for fastText
// models, which keep fastText's probabilities. Files of earlier versions do not
// contain the number of texts. If texts have several labels, the result for
// such files is the fraction of all labels instead, which is smaller.
std::vector<float> LabelPrior(const ClassifierModel& model);

// Converts scores to probabilities, in place. Not for a tree.
void ToProbabilities(LabelLink link, absl::Span<float> scores);

// Used by one thread at a time; borrows the model and the prior. `tree` is null
// unless the link is LabelLink::kTree. `prior` has the probabilities of labels
// for a text without known features; if empty, the formulas are used.
class TextScorer {
 public:
  TextScorer(const ClassifierModel& model, const LabelTree* tree,
             absl::Span<const float> prior = {});

  // Returns the probabilities of all labels, valid until the next call.
  // `context` is the mean of the states of the text's tokens, or null if the
  // model reads none.
  absl::Span<const float> Score(absl::string_view text, const float* context);
  // Finds at most `most` labels with a probability of at least `least`, only
  // with a tree; see LabelTree::FindMostProbable().
  void FindMostProbable(absl::string_view text, const float* context,
                        size_t most, double least,
                        std::vector<LabelProbability>* found);

  // Returns how many words and n-grams of the last scored text have rows, plus
  // how many of its tokens were read in context; 0 if nothing in it is known.
  // The end of a text, which fastText reads, does not count.
  uint64_t known() const { return known_; }
  // Returns the same number for a text without scoring it.
  uint64_t CountKnown(absl::string_view text, bool has_context);

 private:
  absl::Span<const FeatureCount> Read(absl::string_view text, bool has_context);
  bool HasPriorAlone() const { return known_ == 0 && !prior_.empty(); }
  void AddWide(absl::Span<const FeatureCount> features,
               absl::Span<float> scores);
  void SetHidden(absl::Span<const FeatureCount> features, const float* context);
  void AddDeep(absl::Span<float> scores);
  void SetLeaves(absl::Span<float> probabilities);
  // Returns the product of the hidden vector and a row of the output.
  float OutputScore(size_t row);

  const ClassifierModel& model_;
  const LabelTree* const tree_;
  const absl::Span<const float> prior_;
  FeatureIndex::Reader reader_;
  uint64_t at_end_ = 0;  // number of features that every text has
  uint64_t known_ = 0;
  std::vector<WideFeature> features_;
  std::vector<float> probabilities_;  // computed if all are requested
  std::vector<float> sums_;
  std::vector<float> hidden_;
  std::vector<float> nodes_;
  std::vector<float> node_row_;
  std::vector<LabelTree::Waiting> waiting_;
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_TEXT_SCORER_H_
