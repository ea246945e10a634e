// Training that starts from given vectors: where they are copied, and what
// happens to words that only one side has. If they are those of a model to be
// updated, the vocabulary has grown from that of the model, and all rows start
// from the model's rows.
//
// An update trains like any other run. At the end, each row of the model moves
// back to its old values, except for the fraction of the evidence that is new.
// For a word that occurred 90 times in the old text and 10 times in the new
// one, a tenth of the change remains. So words that are rare in the new text
// stay as they were, and words that occur mostly in the new text are learned
// from it. (Averaging the weights before and after training on other data keeps
// the accuracy on both: Wortsman et al., "Robust Fine-Tuning of Zero-Shot
// Models", CVPR 2022. The fractions are those of a running mean.)

#ifndef FIRTH_TRAIN_INITIAL_VECTORS_H_
#define FIRTH_TRAIN_INITIAL_VECTORS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/subwords.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"
#include "model/embedding_model.h"

namespace firth {

// Returns whether the vectors are those of a model to be updated.
inline bool IsModel(const InitialVectors& initial) {
  return !initial.output.empty();
}

// Returns the n-grams of the words: those of the model, if any, and new ones.
absl::StatusOr<SubwordIndex> MakeSubwordIndex(const InitialVectors& initial,
                                              const TrainOptions& options,
                                              const Vocabulary& vocabulary);

// Returns how often each word of the vocabulary occurs in the tokens.
std::vector<uint64_t> CountTokens(const Corpus& corpus);

// Moves rows back, as described above, after training on a text in which words
// occur as often as in `counts`. Does nothing if the model has no word counts.
void WeighByEvidence(const InitialVectors& initial,
                     const Vocabulary& vocabulary,
                     absl::Span<const uint64_t> counts, EmbeddingModel* model);

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
