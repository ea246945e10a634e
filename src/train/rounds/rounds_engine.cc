// The engine for `deterministic`: the result does not depend on the number of
// threads. See train/rounds/rounds.h.
//
// This file is compiled once per instruction set. The windows, the kernel, the
// objectives and the architectures are those of train_shard.cc, but their steps
// go to the logs of slices.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/shared_matrix.h"
#include "base/threads.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/engine.h"
#include "train/rounds/rounds.h"
#include "train/rounds/slice_log.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/rounds/rounds_engine.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "simd/row_ops-inl.h"
#include "simd/shared_row-inl.h"
#include "train/architectures-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"
#include "train/table_updates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// An output row whose step is logged. The kernel makes one step per row of a
// block, so the previous content of `step` need not be read.
struct LoggedRow {
  SharedRow row;
  float* step;
};

HWY_INLINE FloatVec LoadLanes(LoggedRow row, size_t at) {
  return LoadLanes(row.row, at);
}
HWY_INLINE void AddToLanes(LoggedRow row, size_t at, FloatVec step) {
  hn::Store(step, FloatTag(), row.step + at);
}

// Adds every eighth row for which it is called.
HWY_INLINE void AddSpread(SharedRow row, size_t columns, Spread& spread) {
  if (spread.count++ % 8 != 0) return;
  AddRow(Dot(row, spread.probe, columns), row, columns, spread.sum.Row(0));
}

// Writes steps to the log of a slice. See train/table_updates-inl.h for the
// methods.
class LoggedUpdates {
 public:
  LoggedUpdates(size_t dim, size_t max_rows)
      : columns_(VisitedColumns(dim)), rows_(max_rows) {}

  // Sets the log for all further steps.
  void Start(SliceLog* log) { log_ = log; }

  HWY_INLINE const LoggedRow* RowsOf(const OutputBlock& block) {
    for (size_t j = 0; j < block.size; ++j) {
      float* const step = log_->output.NewVector();
      rows_[j] = {block.rows[j], step};
      log_->output.Add(block.ids[j], step, 1, 1);
    }
    if (block.size > 0) AddSpread(block.rows[0], columns_, log_->outputs);
    return rows_.data();
  }

  HWY_INLINE void AddBias(uint32_t row, float step) {
    log_->biases.push_back({row, step});
  }

  void AddWord(const WordStep& word) {
    float* const moved = log_->input.NewVector();
    Subtract(word.now, SharedRow(word.before), columns_, moved);
    const float weight = 1.0f / static_cast<float>(word.rows.size());
    for (size_t i = 0; i < word.rows.size(); ++i) {
      log_->input.Add(word.rows[i], moved,
                      i < word.own_rows ? word.own_share : word.n_gram_share,
                      weight);
    }
    AddSpread(SharedRow(word.before), columns_, log_->inputs);
  }

  // Sets the slice's own copies of the position weights to the current weights,
  // at the start of each run. AddPositions() logs what the run has changed.
  void CopyPositions(WorkerTable& weights) {
    for (size_t i = 0; i < weights.num_hot(); ++i) {
      CopyRow(weights.Shared(i), columns_, weights.Own(i));
    }
  }
  void AddPositions(WorkerTable& weights) {
    for (size_t i = 0; i < weights.num_hot(); ++i) {
      float* const moved = log_->positions.NewVector();
      Subtract(weights.Own(i), weights.Shared(i), columns_, moved);
      log_->positions.Add(static_cast<uint32_t>(i), moved, 1, 1);
    }
  }

 private:
  SliceLog* log_ = nullptr;
  size_t columns_;
  std::vector<LoggedRow> rows_;  // Rows of the current block.
};

// Trains on slices of the rounds until they pause or the epoch ends. All
// threads of a parallel region must call it. The model must have a composition.
template <class Architecture, class Objective>
void TrainSlicesOf(const EpochContext& context, Rounds& rounds,
                   Architecture architecture, Objective objective) {
  constexpr bool kHasPositions = requires { architecture.hot_rows(); };
  LoggedUpdates updates(context.model.dim(), objective.MaxRows());
  ComposedInputs inputs(context.model, context.options, updates);
  RunTrainer trainer(
      context.options, inputs, architecture, objective,
      WindowStepper(context.model, objective.MaxRows(), updates));
  WordRun run;
  do {
    while (const auto slice = rounds.TakeSlice()) {
      SliceLog& log = *slice->log;
      updates.Start(&log);
      SentenceReader reader(
          context.stream, context.subsampler, slice->piece, context.EpochKey(),
          static_cast<size_t>(context.options.window), context.rows);
      while (reader.Next(&run)) {
        if constexpr (kHasPositions) {
          updates.CopyPositions(architecture.hot_rows());
        }
        const WorkDone done =
            trainer.Train(run, rounds.learning_rate(), [](size_t) {});
        log.examples += done.examples;
        log.loss += done.loss;
        if constexpr (kHasPositions) {
          updates.AddPositions(architecture.hot_rows());
        }
      }
      log.words = reader.words_read();
      log.Sort();
    }
  } while (rounds.NextRound());
}

void TrainSlicesTarget(const EpochContext& context, Rounds& rounds) {
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        // No two threads write to a row at the same time.
        auto made = MakeObjective(objective, context.tables, context.model,
                                  /*threads=*/1);
        if constexpr (!std::is_same_v<decltype(made), FullSoftmax>) {
          TrainSlicesOf(
              context, rounds,
              MakeArchitecture(architecture, context.options, context.model),
              std::move(made));
        }
      },
      context.options.architecture, context.options.objective);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {
namespace {

HWY_EXPORT(TrainSlicesTarget);

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
  HWY_DYNAMIC_DISPATCH(TrainSlicesTarget)(context, rounds);
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
#endif  // HWY_ONCE
