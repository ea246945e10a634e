// The engine for `deterministic`: the result does not depend on the number of
// threads. See train/rounds/rounds.h.

#include <memory>

#include "base/threads.h"
#include "train/engines.h"
#include "train/rounds/rounds.h"
#include "train/rounds/train_slices.h"

namespace firth {
namespace {

class RoundsEngine final : public LocalEngine {
 public:
  using LocalEngine::LocalEngine;

 private:
  TrainedPart TrainPart(int epoch, StreamPiece part,
                        const PauseFunction& pause) override;
  size_t NumKept() const override { return 2 * inputs().model.dim(); }
};

TrainedPart RoundsEngine::TrainPart(int epoch, StreamPiece part,
                                    const PauseFunction& pause) {
  const EpochContext context = Context(epoch);
  Rounds rounds(
      ShapeOfRounds(context.subsampler, inputs().corpus.vocabulary.counts()),
      part, epoch, pause, context.model, context.monitor, kept());
#pragma omp parallel num_threads(context.threads)
  TrainSlices(context, rounds);
  return {rounds.position(), rounds.done(), rounds.TakeStatus()};
}

class RoundsEngineKind final : public LocalEngineKind {
 public:
  // Full softmax updates all rows of the output table in each step, so a round
  // would be a single batch.
  bool Fits(const TrainOptions& options) const override {
    return options.deterministic &&
           !TraitsOf(options.objective).updates_all_rows;
  }
  int Threads(const TrainOptions& options) const override {
    return NumThreads(options.threads);
  }
  EngineMemory Memory(const TrainOptions& options, const ModelShape& shape,
                      bool /*shared*/) const override {
    return {.workers = RoundBytes(options, shape)};
  }
  std::unique_ptr<LocalEngine> MakeLocal(
      const EngineInputs& inputs) const override {
    return std::make_unique<RoundsEngine>(inputs);
  }
};

}  // namespace

const LocalEngineKind& RoundsKind() {
  static const RoundsEngineKind kind;
  return kind;
}

}  // namespace firth
