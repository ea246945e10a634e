// Cosines of rows of any length, without a second copy of the matrix.
//
// A cosine is the dot product of a unit query with a row, times the inverse of
// the row's norm. The inverse is defined only if the norm is a normal float.
// For all other rows (zeros, infinities, NaN, norms that overflow) it is 0, so
// that their cosine with everything is 0. No partial sum of a dot product with
// a unit vector can then overflow, and no score is NaN. Rows of huge or tiny
// values are normalized first (query/unit_rows.h).

#ifndef FIRTH_VECTORS_INVERSE_NORMS_H_
#define FIRTH_VECTORS_INVERSE_NORMS_H_

#include <vector>

#include "absl/types/span.h"
#include "firth/row_store.h"

namespace firth {

// Returns 1 / |row|, or 0 as described above. Summed in double.
float InverseNorm(absl::Span<const float> row);

// Returns the inverse norms of all rows, using all cores.
std::vector<float> InverseNorms(const RowStore& rows);

}  // namespace firth

#endif  // FIRTH_VECTORS_INVERSE_NORMS_H_
