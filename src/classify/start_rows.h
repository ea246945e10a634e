// What the deep part's vectors are before anything has been learnt.

#ifndef FIRTH_SRC_CLASSIFY_START_ROWS_H_
#define FIRTH_SRC_CLASSIFY_START_ROWS_H_

#include <cstdint>
#include <vector>

#include "base/matrix.h"
#include "classify/feature_index.h"
#include "firth/word_vectors.h"

namespace firth {

// Sets all rows of `input`, [features, dim]: small numbers drawn by the seed.
// Where there are vectors, words have theirs, or that of their n-grams of
// characters, less the mean of all and the lighter the more frequent they are;
// n-grams of words have the mean of their words, and n-grams of characters
// zeros. vectors: of dim values; may be null. Returns the rows that are words
// with a vector: [features].
std::vector<bool> StartRows(const FeatureIndex& index,
                            const WordVectors* vectors, uint64_t seed,
                            int threads, PaddedMatrix* input);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_START_ROWS_H_
