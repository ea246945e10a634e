// Going on with a model: a training whose vocabulary has grown from that of the
// model, and whose rows start where the model's were.
//
// It learns as any training does, and at the end each row of the model moves
// back to where it was, but for its share of the evidence: of a word that
// occurred 90 times in the old text and 10 times in the new one a tenth of the
// way stays. So words that the new text says little about stay what they were,
// and those that are mostly new there are learnt from there. (Averages of
// weights before and after a training on other data keep the accuracy on both:
// Wortsman et al., "Robust Fine-Tuning of Zero-Shot Models", CVPR 2022; the
// shares are those of a running mean.)

#ifndef FIRTH_TRAIN_GROWN_MODEL_H_
#define FIRTH_TRAIN_GROWN_MODEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/subwords.h"
#include "firth/train.h"
#include "firth/vocabulary.h"
#include "model/embedding_model.h"

namespace firth {

// Whether the vectors are those of a model that the training goes on with.
inline bool IsModel(const InitialVectors& initial) {
  return !initial.output.empty();
}

// Whether the model can be gone on with. Errors: InvalidArgument.
absl::Status CheckModel(const InitialVectors& initial,
                        const Vocabulary& vocabulary,
                        const TrainOptions& options);

// The n-grams of the words: those of the model, if there is one, and more.
absl::StatusOr<SubwordIndex> MakeSubwordIndex(const InitialVectors& initial,
                                              const TrainOptions& options,
                                              const Vocabulary& vocabulary);

// Puts all rows of the model in their places.
void CopyModel(const InitialVectors& initial, const Vocabulary& vocabulary,
               EmbeddingModel* model);

// How often each word of the vocabulary stands in the tokens.
std::vector<uint64_t> CountTokens(const Corpus& corpus);

// After the training on a text that has each word as often as `counts` say: see
// above. Where the model's words have no counts, all stays as it was learnt.
void WeighByEvidence(const InitialVectors& initial,
                     const Vocabulary& vocabulary,
                     absl::Span<const uint64_t> counts, EmbeddingModel* model);

}  // namespace firth

#endif  // FIRTH_TRAIN_GROWN_MODEL_H_
