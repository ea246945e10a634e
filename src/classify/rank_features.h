// Which features of a classifier say most.

#ifndef FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_
#define FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "classify/classifier_model.h"

namespace firth {

// All rows, those first that move the scores of these texts most: by the sum
// over the texts of the squares of what a feature adds to all scores, of a
// softmax above their mean. Without a text each is weighted as if it were once
// in one.
std::vector<uint32_t> RankFeatures(const ClassifierModel& model,
                                   absl::Span<const absl::string_view> texts);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_RANK_FEATURES_H_
