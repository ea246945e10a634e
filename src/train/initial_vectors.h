// Training that starts from given vectors: where they go, and what becomes of
// words that only one side has.

#ifndef FIRTH_TRAIN_INITIAL_VECTORS_H_
#define FIRTH_TRAIN_INITIAL_VECTORS_H_

#include "absl/status/status.h"
#include "firth/matrix.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "model/embedding_model.h"

namespace firth {

// Whether such a training can be. Errors: InvalidArgument.
absl::Status CheckInitialVectors(const InitialVectors& initial,
                                 const Vocabulary& vocabulary,
                                 const TrainOptions& options);

// Puts the vectors, and the other rows of a model, in their places, and pins
// the vectors if asked for. Returns how many words began where.
InitialWords StartFrom(const InitialVectors& initial,
                       const Vocabulary& vocabulary, EmbeddingModel* model);

// How many words of `initial` are not in the vocabulary and are to be kept.
size_t NumOthers(const InitialVectors& initial, const Vocabulary& vocabulary);

// The trained vectors, and behind them those of the words that are kept. Rows
// of zeros are added to an output table that has one row a word.
absl::Status AppendOthers(const InitialVectors& initial, TrainedModel* trained);

}  // namespace firth

#endif  // FIRTH_TRAIN_INITIAL_VECTORS_H_
