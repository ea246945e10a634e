// From rows of any length to cosines, without a second copy of the matrix.
//
// A cosine is the dot product of a unit query with a row, times the inverse of
// the row's norm. Only rows whose norm is a normal float have one: for all
// others (zeros, infinities, NaN, norms that overflow) the inverse norm is 0,
// which stands for "cosine 0 with everything". With that, no partial sum of a
// dot product with a unit vector can overflow, and no score is NaN.

#ifndef FIRTH_QUERY_UNIT_ROWS_H_
#define FIRTH_QUERY_UNIT_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

// 1 / |row|, or 0 as said above. Summed in double.
float InverseNorm(absl::Span<const float> row);

// Of the first `num_rows` rows, on all cores.
std::vector<float> InverseNorms(const FloatTable& table, size_t num_rows);

// Writes row / |row|, or zeros if it has no norm, to unit [row.size()].
void MakeUnit(absl::Span<const float> row, float* unit);
std::vector<float> UnitVector(absl::Span<const float> row);

// Turns n dot products with unit vectors into cosines, in [-1, 1].
void ScaleToCosines(const float* inverse_norms, size_t n, float* dots);

// Turns n cosines into (1 + cosine) / 2, in [0, 1], as 3CosMul wants them.
void ShiftCosines(size_t n, float* cosines);

}  // namespace firth

#endif  // FIRTH_QUERY_UNIT_ROWS_H_
