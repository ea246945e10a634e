// Weighted sums of rows, which make up the score of a text.

#ifndef FIRTH_SRC_CLASSIFY_WEIGHTED_ROWS_H_
#define FIRTH_SRC_CLASSIFY_WEIGHTED_ROWS_H_

#include "absl/types/span.h"
#include "classify/wide_step.h"
#include "firth/row_store.h"

namespace firth {

// Computes sums[c] += value * rows(row, c) over the features, in their order.
// sums: [cols]. May be called by any number of threads.
void AddWeightedRows(const RowStore& rows,
                     absl::Span<const WideFeature> features,
                     absl::Span<float> sums);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_WEIGHTED_ROWS_H_
