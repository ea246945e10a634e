// How precise one label is where enough of its texts are found.

#ifndef FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_
#define FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_

#include <vector>

#include "absl/types/span.h"

namespace firth {

// The best precision, over all thresholds on the probabilities that find at
// least `recall` of what is gold; 0 where nothing is.
double PrecisionAtRecall(absl::Span<const float> probabilities,
                         const std::vector<bool>& gold, double recall);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_PRECISION_AT_RECALL_H_
