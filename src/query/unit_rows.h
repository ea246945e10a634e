// Unit vectors and cosines, and rows whose cosines can be computed in floats.
//
// A cosine is a dot product times the inverse of the row's norm. A float can
// represent neither the norm of a row of huge values nor the inverse norm of a
// tiny one, so vectors/row_block.h gives such rows none. A cosine depends
// only on the direction, so these rows can be scaled first.

#ifndef FIRTH_QUERY_UNIT_ROWS_H_
#define FIRTH_QUERY_UNIT_ROWS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

// Returns row / |row|, even if no float can represent the norm. Returns zeros
// for zeros and for values that are not finite.
std::vector<float> UnitVector(absl::Span<const float> row);

// Returns the same vectors with huge and tiny rows scaled to length 1, so that
// all rows except zeros have an inverse norm. If there are no such rows, which
// is nearly always the case, returns the vectors unchanged, otherwise a copy.
// Only float rows are scaled; rows of other forms are made from rows that have
// a norm.
WordVectors WithNormalRows(WordVectors vectors);

// Turns n dot products with unit vectors into cosines, in [-1, 1].
void ScaleToCosines(const float* inverse_norms, size_t n, float* dots);

// Converts n cosines to (1 + cosine) / 2, in [0, 1], as 3CosMul requires.
void ShiftCosines(size_t n, float* cosines);

}  // namespace firth

#endif  // FIRTH_QUERY_UNIT_ROWS_H_
