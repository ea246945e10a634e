// Making vectors better, or fewer, after training.

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

// Steps to apply, in this order.
struct PostprocessOptions {
  uint64_t max_vocab = 0;     // the first words only, the most frequent; 0: all
  bool center = false;        // subtract the mean vector
  int remove_components = 0;  // and the projections on so many principal
                              // components, below dim (Mu and Viswanath,
                              // "All-but-the-Top", 2018: about dim / 100)
  int keep_components = 0;    // the projections on so many of the next ones, as
                              // new dimensions; 0: all, and no projection
  // Above 0: words are multiplied by sif / (sif + p), p being their share of
  // all tokens (Arora et al., "A simple but tough-to-beat baseline for sentence
  // embeddings", 2017: 1e-4); of vectors without counts, or whose counts are
  // all the same, that of Zipf's law by their order, from rank 2. At most 1e9.
  double sif = 0;
  bool normalize = false;      // unit length; zero vectors stay
  bool drop_subwords = false;  // leave n-grams out: unknown words have no
                               // vectors then
  QuantizeOptions form = {};   // of the rows of words; n-grams stay floats

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Rows of n-grams change as those of words do, so that unknown words fit the
// others; weights and normalizing drop them, as they are of words.
// Errors: InvalidArgument, ResourceExhausted, those of Quantize().
absl::StatusOr<WordVectors> Postprocess(const WordVectors& vectors,
                                        const PostprocessOptions& options);

// The vectors of the words that `vocabulary` has, too, in their order here.
// Errors: InvalidArgument, there are none; ResourceExhausted.
absl::StatusOr<WordVectors> SelectWords(const WordVectors& vectors,
                                        const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_POSTPROCESS_H_
