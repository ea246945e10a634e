// Unit vectors and cosines; see vectors/inverse_norms.h for rows without norm.

#ifndef FIRTH_QUERY_UNIT_ROWS_H_
#define FIRTH_QUERY_UNIT_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace firth {

// row / |row|, also where no float has that norm; zeros for zeros and for
// values that are not finite.
std::vector<float> UnitVector(absl::Span<const float> row);

// Turns n dot products with unit vectors into cosines, in [-1, 1].
void ScaleToCosines(const float* inverse_norms, size_t n, float* dots);

// Turns n cosines into (1 + cosine) / 2, in [0, 1], as 3CosMul wants them.
void ShiftCosines(size_t n, float* cosines);

}  // namespace firth

#endif  // FIRTH_QUERY_UNIT_ROWS_H_
