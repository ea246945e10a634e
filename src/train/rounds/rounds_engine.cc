// The engine for `deterministic`: the result does not depend on the number of
// threads. See train/rounds/rounds.h.

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "train/engines.h"
#include "train/rounds/rounds.h"
#include "train/rounds/train_slices.h"

namespace firth {
namespace {

class RoundsEngine final : public LocalEngine {
 public:
  using LocalEngine::LocalEngine;

  void AddState(nlohmann::json* state) const override {
    LocalEngine::AddState(state);
    (*state)["probes"] = probes_;
  }
  absl::Status SetState(const nlohmann::json& state) override;

 private:
  TrainedPart TrainPart(int epoch, StreamPiece part,
                        const PauseFunction& pause) override;

  std::vector<float> probes_;  // See Rounds. Empty before the first round.
};

TrainedPart RoundsEngine::TrainPart(int epoch, StreamPiece part,
                                    const PauseFunction& pause) {
  const EpochContext context = Context(epoch);
  Rounds rounds(
      ShapeOfRounds(context.subsampler, inputs().corpus.vocabulary.counts()),
      part, epoch, pause, context.model, context.monitor, &probes_);
#pragma omp parallel num_threads(context.threads)
  TrainSlices(context, rounds);
  return {rounds.position(), rounds.done(), rounds.TakeStatus()};
}

absl::Status RoundsEngine::SetState(const nlohmann::json& state) {
  FIRTH_RETURN_IF_ERROR(LocalEngine::SetState(state));
  const auto probes = state.at("probes").get<std::vector<double>>();
  const size_t size = 2 * inputs().model.dim();
  const bool are_floats =
      std::all_of(probes.begin(), probes.end(),
                  [](double probe) { return std::abs(probe) <= FLT_MAX; });
  if (!are_floats || (!probes.empty() && probes.size() != size)) {
    return absl::DataLossError(absl::StrCat("state: expected 0 or ", size,
                                            " finite probes, found ",
                                            probes.size()));
  }
  probes_.assign(probes.begin(), probes.end());
  return absl::OkStatus();
}

class RoundsEngineKind final : public LocalEngineKind {
 public:
  // Full softmax updates all rows of the output table in each step, so a round
  // would be a single batch.
  bool Fits(const TrainOptions& options) const override {
    return options.deterministic &&
           !std::holds_alternative<FullSoftmaxOptions>(options.objective);
  }
  int Threads(const TrainOptions& options) const override {
    return NumThreads(options.threads);
  }
  EngineMemory Memory(const TrainOptions& options, const ModelShape& shape,
                      const Ranks*) const override {
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
