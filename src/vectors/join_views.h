// One space out of several of the same words: each view centered and scaled to
// the same mean square length, all of them side by side, and of that the first
// principal components (Yin and Schütze, "Learning Word Meta-Embeddings", ACL
// 2016, there CONC and SVD). What views have in common adds up, what is chance
// in each does not.
//
// A row goes through an affine map, so that the mean of the rows of a word's
// n-grams does as they do: words stay the means of them.

#ifndef FIRTH_VECTORS_JOIN_VIEWS_H_
#define FIRTH_VECTORS_JOIN_VIEWS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

struct JoinOptions {
  size_t dim = 100;  // of the result; beyond the sum of the views', zeros
  // Components are divided by their deviation to this power, 0 to 1: 0 leaves
  // them as they are, 1 makes all alike.
  double whitening = 0.2;
  // What the first component is multiplied by besides: most of it is how
  // frequent words are (Mu and Viswanath, "All-but-the-top", ICLR 2018), and it
  // makes rare words alike.
  double first_share = 0.5;
};

// views: float vectors of the same words, with the same n-grams or without, at
// least one. Errors: ResourceExhausted.
absl::StatusOr<WordVectors> JoinViews(absl::Span<const WordVectors> views,
                                      const JoinOptions& options);

// The bytes that JoinViews() takes besides the views, about. rows: of all
// tables of a view; columns: the sum of the views' dimensions; dim: of the
// result.
uint64_t JoinBytes(size_t rows, size_t columns, size_t dim, int threads);

}  // namespace firth

#endif  // FIRTH_VECTORS_JOIN_VIEWS_H_
