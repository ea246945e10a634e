// Compiled once an instruction set. Options become types here, once a shard:
// below TrainSentences every call is inlined and nothing is asked a word.

#include "train/train_shard.h"

#include <utility>
#include <variant>

#include "simd/targets.h"
#include "train/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/train_shard.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "simd/shared_row-inl.h"
#include "train/architectures-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// How many words before its use an input row is asked for, beyond the window.
constexpr size_t kPrefetchWords = 2;

HWY_INLINE void PrefetchInput(const WordRun& run, size_t pos,
                              EmbeddingModel& model) {
  if (pos >= run.words.size()) return;
  PrefetchRow(model.input().Row(Index(run.words[pos])), model.padded_dim());
}

HWY_INLINE void PrefetchBlock(const OutputBlock& block, size_t padded_dim) {
  for (size_t j = 0; j < block.size; ++j) {
    PrefetchRow(block.rows[j], padded_dim);
  }
}

// Objectives that step window by window. The block of the next center is drawn
// one window early, so that its rows are in the cache when they are needed.
template <class Architecture, class Objective>
void TrainSentences(Architecture architecture, const Objective& objective,
                    Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  const bool dynamic = worker.context().options.dynamic_window;
  OutputBlock block(objective.MaxRows());
  OutputBlock next_block(objective.MaxRows());
  ScoreBlock scores(objective.MaxRows());
  while (const WordRun* run = worker.NextRun()) {
    const auto select = [&](size_t center, OutputBlock& into) HWY_ATTR {
      objective.Select(run->words[center], Rng(run->keys[center]), into);
      PrefetchBlock(into, model.padded_dim());
    };
    select(run->first_center, block);
    for (size_t center = run->first_center; center < run->end_center;
         ++center) {
      if (center + 1 < run->end_center) select(center + 1, next_block);
      PrefetchInput(*run, center + worker.window() + kPrefetchWords, model);
      const Window window = WindowAt(*run, center, worker.window(), dynamic);
      if (window.context_size() > 0) {
        architecture.Step(objective, window, block, scores, worker);
      }
      std::swap(block, next_block);
    }
  }
  worker.Flush();
}

template <class Architecture>
HWY_INLINE void StepBatch(Architecture& architecture,
                          const FullSoftmax& objective, SoftmaxBatch& batch,
                          Worker& worker) {
  const double loss = objective.Step(worker.learning_rate(), batch);
  worker.AddLoss(loss, batch.num_targets());
  architecture.GiveBackSteps(batch);
  batch.Clear();
}

// Full softmax collects a batch of hidden vectors first.
template <class Architecture>
void TrainSentences(Architecture architecture, const FullSoftmax& objective,
                    Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  const bool dynamic = worker.context().options.dynamic_window;
  SoftmaxBatch batch(objective.batch_size(), model.output().rows(),
                     model.dim());
  while (const WordRun* run = worker.NextRun()) {
    for (size_t center = run->first_center; center < run->end_center;
         ++center) {
      const Window window = WindowAt(*run, center, worker.window(), dynamic);
      if (window.context_size() == 0) continue;
      architecture.AddExample(window, batch);
      if (batch.full()) StepBatch(architecture, objective, batch, worker);
    }
  }
  StepBatch(architecture, objective, batch, worker);
  worker.Flush();
}

void TrainShardTarget(Worker& worker) {
  const EpochContext& context = worker.context();
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        TrainSentences(
            MakeArchitecture(architecture, context.options, context.model),
            MakeObjective(objective, context.tables, context.model), worker);
      },
      context.options.architecture, context.options.objective);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(TrainShardTarget);

void TrainShard(Worker& worker) {
  HWY_DYNAMIC_DISPATCH(TrainShardTarget)(worker);
}

}  // namespace firth
#endif  // HWY_ONCE
