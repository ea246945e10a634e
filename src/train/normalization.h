// Measures whether NCE's scores are probabilities.

#ifndef FIRTH_TRAIN_NORMALIZATION_H_
#define FIRTH_TRAIN_NORMALIZATION_H_

#include <cstdint>

#include "corpus/token_stream.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "train/sentence_reader.h"
#include "vocab/subsampler.h"

namespace firth {

// The end of the stream that is kept from training: a hundredth of it, at most
// 20,000 positions, from the start of a sentence where one is near.
StreamPiece HeldOutPiece(const TokenStream& stream);

// ln Z over up to 500 windows of `piece`, whose words training did not see.
// Every window gives its hidden vectors as in training; Z sums over all words.
// Not to be called while workers run.
NormalizationReport MeasureNormalization(const TokenStream& stream,
                                         const Subsampler& subsampler,
                                         StreamPiece piece,
                                         const TrainOptions& options,
                                         const EmbeddingModel& model);

// Bytes that measuring takes, about.
uint64_t NormalizationBytes(const TrainOptions& options,
                            const ModelShape& shape);

}  // namespace firth

#endif  // FIRTH_TRAIN_NORMALIZATION_H_
