// Improves or reduces vectors after training.

#ifndef FIRTH_POSTPROCESS_H_
#define FIRTH_POSTPROCESS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/quantize.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Operations, applied in the order of the members.
struct PostprocessOptions {
  // Number of words to keep, the first ones, which are the most frequent; 0
  // means all.
  uint64_t max_vocab = 0;
  bool center = false;  // Subtract the mean vector.
  // Number of top principal components to remove, below dim (Mu and Viswanath,
  // "All-but-the-Top", 2018, who suggest about dim / 100).
  int remove_components = 0;
  // Number of following principal components to keep as new dimensions; 0 means
  // no projection.
  int keep_components = 0;
  // If above 0, multiply each word by sif / (sif + p), where p is its relative
  // frequency (Arora et al., "A simple but tough-to-beat baseline for sentence
  // embeddings", 2017, who suggest 1e-4). If counts are missing or all equal, p
  // is estimated from the word's rank by Zipf's law, starting at rank 2. At
  // most 1e9.
  double sif = 0;
  bool normalize = false;  // Scale vectors to unit length, except zero vectors.
  // Drop the n-grams. Unknown words then have no vectors.
  bool drop_subwords = false;
  // Storage form of the word rows; rows of n-grams stay floats.
  QuantizeOptions form = {};

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Applies the operations. Rows of n-grams are changed in the same way as rows
// of words, so that vectors of unknown words remain consistent. Weighting and
// normalization apply to whole words, so they drop the n-grams. Errors:
// InvalidArgument, ResourceExhausted, those of Quantize().
absl::StatusOr<WordVectors> Postprocess(const WordVectors& vectors,
                                        const PostprocessOptions& options);

// Returns the vectors of those words that are in `vocabulary` too, in their
// original order. Errors: InvalidArgument, there are none; ResourceExhausted.
absl::StatusOr<WordVectors> SelectWords(const WordVectors& vectors,
                                        const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_POSTPROCESS_H_
