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

// Returns the end of the stream that is held out from training: a hundredth of
// it, at most 20,000 positions. If a sentence starts within the same distance
// before it, the piece is extended to that start.
StreamPiece HeldOutPiece(const TokenStream& stream);

// Measures ln Z over up to 500 windows of `piece`, whose words were not in
// training. Hidden vectors are formed as in training; Z sums over all words.
// Must not be called while workers run.
NormalizationReport MeasureNormalization(const TokenStream& stream,
                                         const Subsampler& subsampler,
                                         StreamPiece piece,
                                         const TrainOptions& options,
                                         const EmbeddingModel& model);

// Returns approximately how many bytes the measurement takes.
uint64_t NormalizationBytes(const TrainOptions& options,
                            const ModelShape& shape);

}  // namespace firth

#endif  // FIRTH_TRAIN_NORMALIZATION_H_
