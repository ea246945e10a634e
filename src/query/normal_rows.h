// Rows whose cosines floats can compute.
//
// A cosine is a dot product times the inverse of the row's norm, and a float
// holds neither the norm of a row of huge values nor the inverse of a tiny one:
// vectors/inverse_norms.h gives such rows none. The direction is all that a
// cosine sees, so that they can be scaled first.

#ifndef FIRTH_QUERY_NORMAL_ROWS_H_
#define FIRTH_QUERY_NORMAL_ROWS_H_

#include "firth/word_vectors.h"

namespace firth {

// The same vectors with huge and tiny rows made 1 long: all but zeros have an
// inverse norm. Where there are no such rows, as nearly always, these are the
// vectors as they came, else a copy. Only of float rows: others are made of
// what has a norm.
WordVectors WithNormalRows(WordVectors vectors);

}  // namespace firth

#endif  // FIRTH_QUERY_NORMAL_ROWS_H_
