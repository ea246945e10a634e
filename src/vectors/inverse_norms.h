// From rows of any length to cosines, without a second copy of the matrix.
//
// A cosine is the dot product of a unit query with a row, times the inverse of
// the row's norm. Only rows whose norm is a normal float have one: for all
// others (zeros, infinities, NaN, norms that overflow) the inverse norm is 0,
// which stands for "cosine 0 with everything". With that, no partial sum of a
// dot product with a unit vector can overflow, and no score is NaN. Rows of
// huge or tiny values are made 1 long before (query/unit_rows.h).

#ifndef FIRTH_VECTORS_INVERSE_NORMS_H_
#define FIRTH_VECTORS_INVERSE_NORMS_H_

#include <vector>

#include "absl/types/span.h"
#include "firth/row_store.h"

namespace firth {

// 1 / |row|, or 0 as said above. Summed in double.
float InverseNorm(absl::Span<const float> row);

// Of all rows, on all cores.
std::vector<float> InverseNorms(const RowStore& rows);

}  // namespace firth

#endif  // FIRTH_VECTORS_INVERSE_NORMS_H_
