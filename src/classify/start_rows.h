// The initial vectors of the deep part.

#ifndef FIRTH_SRC_CLASSIFY_START_ROWS_H_
#define FIRTH_SRC_CLASSIFY_START_ROWS_H_

#include <cstdint>
#include <vector>

#include "base/matrix.h"
#include "classify/feature_index.h"
#include "firth/word_vectors.h"

namespace firth {

// Sets all rows of `input`, [features, dim], to small random numbers that
// depend on the seed. If there are vectors, words have theirs, or that of their
// character n-grams, minus the mean of all, with a lower weight the more
// frequent they are. N-grams of words then have the mean of their words, and
// n-grams of characters zeros. `vectors` has vectors of dim values, or is null.
// Returns which rows are words with a vector: [features].
std::vector<bool> StartRows(const FeatureIndex& index,
                            const WordVectors* vectors, uint64_t seed,
                            int threads, PaddedMatrix* input);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_START_ROWS_H_
