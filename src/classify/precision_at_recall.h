// The precision of one label at a required recall.

#ifndef FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_
#define FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_

#include <vector>

#include "absl/types/span.h"

namespace firth {

// Returns the best precision over all thresholds on the probabilities with a
// recall of at least `recall`, or 0 if nothing is gold.
double PrecisionAtRecall(absl::Span<const float> probabilities,
                         const std::vector<bool>& gold, double recall);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_
