#include "train/rounds/train_rounds.h"

#include <utility>
#include <variant>

#include "train/rounds/rounds.h"
#include "train/rounds/train_slices.h"

namespace firth {

bool UsesRounds(const TrainOptions& options) {
  return options.deterministic &&
         !std::holds_alternative<FullSoftmaxOptions>(options.objective);
}

TrainedPart TrainRounds(const EpochContext& context,
                        absl::Span<const uint64_t> counts, StreamPiece rest,
                        std::function<bool()> pause,
                        std::vector<float>* probes) {
  Rounds rounds(ShapeOfRounds(context.subsampler, counts), rest, context.epoch,
                std::move(pause), context.model, context.monitor, probes);
#pragma omp parallel num_threads(context.threads)
  TrainSlices(context, rounds);
  return {rounds.position(), rounds.done(), rounds.TakeStatus()};
}

}  // namespace firth
