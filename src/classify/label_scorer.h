// LabelScorer: adds up, text by text, how well labels were predicted.

#ifndef FIRTH_CLASSIFY_LABEL_SCORER_H_
#define FIRTH_CLASSIFY_LABEL_SCORER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/classifier.h"
#include "firth/label_scores.h"
#include "firth/labelled_text.h"

namespace firth {

// Not thread-safe.
class LabelScorer {
 public:
  // `independent`: a text may have any number of labels, whose probabilities do
  // not add up to 1. `prefix` is put in front of the labels of the texts.
  LabelScorer(std::vector<std::string> labels, bool independent,
              absl::string_view prefix = {});

  // A text with its labels; the probabilities [labels] of all, and those that
  // were found.
  void Add(const LabelledText& text, absl::Span<const float> probabilities,
           absl::Span<const LabelProbability> found);

  LabelScores Finish();

 private:
  // Those that are new become labels that nothing is known of.
  std::vector<size_t> PositionsOf(const std::vector<std::string>& labels);
  bool CountLabels(const std::vector<size_t>& gold,
                   absl::Span<const LabelProbability> found);
  double LogLoss(const std::vector<size_t>& gold,
                 absl::Span<const float> probabilities) const;

  LabelScores scores_;
  size_t known_;  // labels of the classifier
  bool independent_;
  std::string prefix_;
  absl::flat_hash_map<std::string, size_t> positions_;
  // Gold and most probable label of the texts with one.
  std::vector<std::pair<size_t, size_t>> pairs_;
};

}  // namespace firth

#endif  // FIRTH_CLASSIFY_LABEL_SCORER_H_
