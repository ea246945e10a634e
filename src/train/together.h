// What a training with other ranks asks before it begins, and what it leaves
// out.

#ifndef FIRTH_TRAIN_TOGETHER_H_
#define FIRTH_TRAIN_TOGETHER_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/train.h"

namespace firth {

// The ranks that the training is shared with; null: it is one of its own, as
// options.distributed says, or as there is one rank only.
Ranks* OthersOf(const TrainOptions& options, const Hooks& hooks);

// Whether ranks share it by columns; else, if they do, by replicas.
bool IsByColumns(const TrainOptions& options);

// Whether such a training can be shared as the options say. Errors:
// InvalidArgument, the same on all ranks.
absl::Status CheckCanBeShared(const TrainOptions& options, const Hooks& hooks,
                              const InitialVectors& initial);

// Whether all ranks have the same options, but for threads, the same vocabulary
// and initial vectors, and save and measure alike. Errors: FailedPrecondition,
// the same on all, with what differs.
absl::Status CheckSameTraining(Ranks& ranks, const TrainOptions& options,
                               const Corpus& corpus,
                               const InitialVectors& initial,
                               const Checkpointing& checkpointing,
                               const Validation& validation);

// The same stream, which knows where it stands in the whole text: what is drawn
// at a place of the text is then what one process draws there. Errors: those of
// the ranks.
absl::StatusOr<std::shared_ptr<const TokenStream>> PlaceStream(
    Ranks& ranks, const std::shared_ptr<const TokenStream>& own);

}  // namespace firth

#endif  // FIRTH_TRAIN_TOGETHER_H_
