// Ranks the features of a classifier by their influence.

#ifndef FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_
#define FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"

namespace firth {

// Returns all rows, those first that affect the scores of these texts most. The
// measure is the sum over the texts of the squares of a feature's contributions
// to all scores, minus their mean with a softmax. Without texts, each feature
// counts as if it occurred once in one text.
std::vector<uint32_t> RankFeatures(const ClassifierModel& model,
                                   absl::Span<const absl::string_view> texts);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_
