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

// Blocks are drawn, and the rows of blocks and contexts asked for, this many
// centers before their use; what the drawing reads, one center before.
constexpr size_t kCentersAhead = 2;

// The run's output blocks, drawn ahead in a ring, with the rows to ask for.
template <class Objective>
class BlocksAhead {
 public:
  BlocksAhead(const Objective& objective, EmbeddingModel& model, size_t window)
      : objective_(objective),
        input_(model.input()),
        window_(window),
        wanted_(objective.MaxRows() + 1) {
    for (size_t i = 0; i <= kCentersAhead; ++i) {
      blocks_.emplace_back(objective.MaxRows());
    }
  }

  // Draws the first blocks of a run.
  HWY_INLINE void Start(const WordRun& run) {
    for (size_t i = 0; i < kCentersAhead; ++i) Draw(run, run.first_center + i);
  }

  // The block of `center`; draws the block that is next.
  HWY_INLINE const OutputBlock& At(const WordRun& run, size_t center) {
    Draw(run, center + kCentersAhead);
    return Block(center);
  }

  // What will be needed next: the rows of the block drawn last, and of the
  // context word that comes into reach then.
  absl::Span<const SharedRow> wanted() const {
    return absl::MakeConstSpan(wanted_).first(num_wanted_);
  }

 private:
  OutputBlock& Block(size_t center) {
    return blocks_[center % (kCentersAhead + 1)];
  }

  HWY_INLINE void Draw(const WordRun& run, size_t center) {
    num_wanted_ = 0;
    if (center < run.end_center) {
      OutputBlock& block = Block(center);
      objective_.Select(run.words[center], Rng(run.keys[center]), block);
      for (size_t j = 0; j < block.size; ++j) Want(block.rows[j]);
    }
    if (center + 1 < run.end_center) {
      objective_.PrefetchSelection(run.words[center + 1],
                                   Rng(run.keys[center + 1]));
    }
    const size_t next_word = center + window_;
    if (next_word < run.words.size()) {
      Want(input_.Row(Index(run.words[next_word])));
    }
  }

  void Want(SharedRow row) { wanted_[num_wanted_++] = row; }

  const Objective& objective_;
  SharedMatrix& input_;
  size_t window_;
  std::vector<OutputBlock> blocks_;
  std::vector<SharedRow> wanted_;
  size_t num_wanted_ = 0;
};

// Objectives that step window by window.
template <class Architecture, class Objective>
void TrainSentences(Architecture architecture, const Objective& objective,
                    Worker& worker) {
  const bool dynamic = worker.context().options.dynamic_window;
  const size_t reach = worker.window();
  BlocksAhead<Objective> blocks(objective, worker.context().model, reach);
  StepBlock steps(objective.MaxRows());
  LossSum losses;
  while (const WordRun* run = worker.NextRun()) {
    blocks.Start(*run);
    for (size_t center = run->first_center; center < run->end_center;
         ++center) {
      const OutputBlock& block = blocks.At(*run, center);
      const Window window = WindowAt(*run, center, reach, dynamic);
      if (window.context_size() == 0) continue;
      architecture.Step(objective, window, block, blocks.wanted(), steps,
                        losses, worker);
    }
    worker.AddLoss(losses.Take());
  }
  worker.Flush();
}

template <class Architecture>
HWY_INLINE void StepBatch(Architecture& architecture,
                          const FullSoftmax& objective, SoftmaxBatch& batch,
                          Worker& worker) {
  const double loss = objective.Step(worker.learning_rate(), batch);
  worker.AddLoss(loss);
  worker.AddExamples(batch.num_targets());
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
