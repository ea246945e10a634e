// Training in rounds: what `deterministic` stands for.

#ifndef FIRTH_TRAIN_ROUNDS_TRAIN_ROUNDS_H_
#define FIRTH_TRAIN_ROUNDS_TRAIN_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "firth/train.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

namespace firth {

// Whether a training works in rounds. Full softmax steps on all rows of the
// output table, so that its rounds would be of one batch each: a deterministic
// one works on one thread instead.
bool UsesRounds(const TrainOptions& options);

// Trains on the rest of an epoch with context.threads threads, until it ends or
// `pause`, which is asked after each round, says so. counts: of the vocabulary.
// *probes: what a round learns for the next one and is to be kept (see Rounds);
// empty: nothing yet.
TrainedPart TrainRounds(const EpochContext& context,
                        absl::Span<const uint64_t> counts, StreamPiece rest,
                        std::function<bool()> pause,
                        std::vector<float>* probes);

}  // namespace firth

#endif  // FIRTH_TRAIN_ROUNDS_TRAIN_ROUNDS_H_
