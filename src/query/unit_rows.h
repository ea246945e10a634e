// Unit vectors and cosines, and rows whose cosines floats can compute.
//
// A cosine is a dot product times the inverse of the row's norm, and a float
// holds neither the norm of a row of huge values nor the inverse of a tiny one:
// vectors/inverse_norms.h gives such rows none. The direction is all that a
// cosine sees, so that they can be scaled first.

#ifndef FIRTH_QUERY_UNIT_ROWS_H_
#define FIRTH_QUERY_UNIT_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

// row / |row|, also where no float has that norm; zeros for zeros and for
// values that are not finite.
std::vector<float> UnitVector(absl::Span<const float> row);

// The same vectors with huge and tiny rows made 1 long: all but zeros have an
// inverse norm. Where there are no such rows, as nearly always, these are the
// vectors as they came, else a copy. Only of float rows: others are made of
// what has a norm.
WordVectors WithNormalRows(WordVectors vectors);

// Turns n dot products with unit vectors into cosines, in [-1, 1].
void ScaleToCosines(const float* inverse_norms, size_t n, float* dots);

// Turns n cosines into (1 + cosine) / 2, in [0, 1], as 3CosMul wants them.
void ShiftCosines(size_t n, float* cosines);

}  // namespace firth

#endif  // FIRTH_QUERY_UNIT_ROWS_H_
