// Joins several vector spaces of the same words into one. Each view is centered
// and scaled to the same mean square length, all views are put side by side,
// and the result is the first principal components (Yin and Schütze, "Learning
// Word Meta-Embeddings", ACL 2016, where the parts are called CONC and SVD).
// Structure that the views share adds up, while random differences cancel out.
//
// Rows go through an affine map, which commutes with the mean of the rows of a
// word's n-grams, so words remain the means of their n-grams.

#ifndef FIRTH_VECTORS_JOIN_VIEWS_H_
#define FIRTH_VECTORS_JOIN_VIEWS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

struct JoinOptions {
  // Dimensions of the result; those beyond the sum of the views' are 0.
  size_t dim = 100;
  // Components are divided by their deviation to this power, 0 to 1. 0 leaves
  // them unchanged, and 1 gives all of them the same deviation.
  double whitening = 0.2;
  // Additional factor of the first component. It mostly represents how frequent
  // words are (Mu and Viswanath, "All-but-the-top", ICLR 2018), and it makes
  // rare words similar.
  double first_share = 0.5;
};

// `views` must be float vectors of the same words, with the same n-grams or
// none, at least one. Errors: ResourceExhausted.
absl::StatusOr<WordVectors> JoinViews(absl::Span<const WordVectors> views,
                                      const JoinOptions& options);

// Estimates the bytes that JoinViews() takes in addition to the views. `rows`
// counts all tables of a view; `columns` is the sum of the views' dimensions;
// `dim` is that of the result.
uint64_t JoinBytes(size_t rows, size_t columns, size_t dim, int threads);

}  // namespace firth

#endif  // FIRTH_VECTORS_JOIN_VIEWS_H_
