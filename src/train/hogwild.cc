// Hogwild: threads take one piece of the text after another and update the
// shared tables as if they were alone (Niu et al., "Hogwild!: A Lock-Free
// Approach to Parallelizing Stochastic Gradient Descent", NeurIPS 2011). With
// one thread, the result depends only on the seed.

#include <omp.h>

#include <memory>
#include <optional>

#include "base/threads.h"
#include "train/engine.h"
#include "train/worker.h"

namespace firth {
namespace {

class HogwildEngine final : public LocalEngine {
 public:
  using LocalEngine::LocalEngine;

 private:
  TrainedPart TrainPart(int epoch, StreamPiece part,
                        const PauseFunction& pause) override;
};

TrainedPart HogwildEngine::TrainPart(int epoch, StreamPiece part,
                                     const PauseFunction& pause) {
  const EpochContext context = Context(epoch);
  PieceQueue pieces(part, PieceTokens(inputs().trained));
  TrainedPart trained;
#pragma omp parallel num_threads(inputs().threads)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    const auto next_piece = [&]() -> std::optional<StreamPiece> {
      if (pause()) return std::nullopt;
      return pieces.Next();
    };
    Worker worker(context, next_piece, thread);
    TrainShard(worker);
#pragma omp critical
    {
      trained.status.Update(worker.status());
      trained.done += worker.done();
    }
  }
  trained.end = pieces.position();
  return trained;
}

class HogwildEngineKind final : public LocalEngineKind {
 public:
  bool Fits(const TrainOptions&) const override { return true; }
  // A deterministic training run that cannot use rounds has one thread.
  int Threads(const TrainOptions& options) const override {
    return options.deterministic ? 1 : NumThreads(options.threads);
  }
  std::unique_ptr<LocalEngine> MakeLocal(
      const EngineInputs& inputs) const override {
    return std::make_unique<HogwildEngine>(inputs);
  }
};

}  // namespace

const LocalEngineKind& HogwildKind() {
  static const HogwildEngineKind kind;
  return kind;
}

}  // namespace firth
