// Training that starts from given vectors: where they are copied, and what
// happens to words that only one side has.

#ifndef FIRTH_TRAIN_INITIAL_VECTORS_H_
#define FIRTH_TRAIN_INITIAL_VECTORS_H_

#include "absl/status/status.h"
#include "firth/matrix.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "model/embedding_model.h"

namespace firth {

// Checks whether training can start from the vectors. Errors: InvalidArgument.
absl::Status CheckInitialVectors(const InitialVectors& initial,
                                 const Vocabulary& vocabulary,
                                 const TrainOptions& options);

// Copies the vectors, and the other rows of a model, to the tables, and pins
// the vectors on request. Returns how many words started from which source.
InitialWords StartFrom(const InitialVectors& initial,
                       const Vocabulary& vocabulary, EmbeddingModel* model);

// Returns how many words of `initial` are not in the vocabulary and are kept.
size_t NumOthers(const InitialVectors& initial, const Vocabulary& vocabulary);

// Appends the vectors of the words that are kept to the trained ones. Adds rows
// of zeros to an output table that has one row per word.
absl::Status AppendOthers(const InitialVectors& initial, TrainedModel* trained);

}  // namespace firth

#endif  // FIRTH_TRAIN_INITIAL_VECTORS_H_
