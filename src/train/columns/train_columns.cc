// Compiled once an instruction set. Windows, objective and kernel are those of
// train_shard.cc; a step waits for the scores of all ranks.

#include "train/columns/train_columns.h"

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "simd/targets.h"
#include "train/piece_queue.h"
#include "train/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/columns/train_columns.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "train/architectures-inl.h"
#include "train/columns/column_stepper-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

void TrainColumnPieceTarget(Worker& worker, ScoreExchange& exchange) {
  const EpochContext& context = worker.context();
  const TrainOptions& options = context.options;
  EmbeddingModel& model = context.model;
  auto architecture = MakeArchitecture(
      std::get<SkipGramOptions>(options.architecture), options, model);
  auto objective =
      MakeObjective(std::get<NegativeSamplingOptions>(options.objective),
                    context.tables, model, context.threads);
  WordInputs inputs(model.input());
  RunTrainer trainer(options, inputs, architecture, objective,
                     ColumnStepper(model, objective.MaxRows(), exchange));
  while (worker.NextPiece()) {
    while (exchange.status().ok()) {
      const WordRun* const run = worker.NextRun();
      if (run == nullptr) break;
      worker.Add(trainer.Train(*run, worker.learning_rate(), [](size_t) {}));
    }
    trainer.stepper().StepAll();
    worker.Add(
        {.words = 0, .examples = 0, .loss = trainer.stepper().TakeLoss()});
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {
namespace {

HWY_EXPORT(TrainColumnPieceTarget);

using Clock = std::chrono::steady_clock;

}  // namespace

template <class Talk>
void ScoreExchange::Timed(const Talk& talk) {
  if (!status_.ok()) return;
  const Clock::time_point start = Clock::now();
  status_ = talk();
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void ScoreExchange::Sum(absl::Span<float> scores) {
  Timed([&] { return ranks_.Sum(scores); });
}

void ScoreExchange::Begin(absl::Span<const char> own, char* all) {
  Timed([&] { return ranks_.BeginGather(own, all); });
}

void ScoreExchange::Await() {
  Timed([&] { return ranks_.AwaitGather(); });
}

TrainedPart TrainColumns(const EpochContext& context, StreamPiece rest,
                         uint64_t piece_tokens,
                         const std::function<bool()>& pause, Ranks& ranks,
                         ScoreExchange& exchange) {
  PieceQueue pieces(rest, piece_tokens);
  // The loss comes of the sums, so that all ranks find alike that it is not
  // finite, and stop at the same window.
  TrainedPart part;
  while (part.status.ok()) {
    uint64_t pausing = pause() ? 1 : 0;
    part.status.Update(ranks.Sum(absl::MakeSpan(&pausing, 1)));
    if (!part.status.ok() || pausing > 0) break;
    const std::optional<StreamPiece> piece = pieces.Next();
    if (!piece.has_value()) break;
    Worker worker(context, OnePiece(*piece), /*thread=*/0);
    HWY_DYNAMIC_DISPATCH(TrainColumnPieceTarget)(worker, exchange);
    part.status.Update(exchange.status());
    part.status.Update(worker.status());
    part.done += worker.done();
  }
  part.end = pieces.position();
  return part;
}

}  // namespace firth
#endif  // HWY_ONCE
