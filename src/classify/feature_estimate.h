// Estimates how many features texts will have, without computing them.

#ifndef FIRTH_SRC_CLASSIFY_FEATURE_ESTIMATE_H_
#define FIRTH_SRC_CLASSIFY_FEATURE_ESTIMATE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "firth/classifier.h"
#include "firth/labelled_text.h"

namespace firth {

struct FeatureEstimate {
  uint64_t tokens = 0;    // exact
  uint64_t features = 0;  // number of features that have a row
  // An upper bound for all texts together. A feature counts again in each text.
  uint64_t occurrences = 0;
};

// Counts all words, and one n-gram in 16, selected by its hash. For 100,000
// n-grams, the standard deviation is 1.3%. The same texts give the same
// estimate.
FeatureEstimate EstimateFeatures(absl::Span<const LabelledText> texts,
                                 const ClassifierOptions& options);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_FEATURE_ESTIMATE_H_
