// Compiled once an instruction set. Options become types here, once a shard:
// below TrainSentences nothing is asked a word, and what is called is inlined
// or as long as a window's step.

#include "train/train_shard.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
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
#include "train/inputs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Blocks are drawn, and the rows of blocks and contexts asked for, this many
// groups before their use; what the drawing reads, one group before.
constexpr size_t kGroupsAhead = 2;

// The run's output blocks, drawn ahead in a ring, with the rows to ask for.
template <class Inputs, class Objective, size_t kCenters>
class BlocksAhead {
 public:
  BlocksAhead(const Inputs& inputs, Objective& objective, size_t window)
      : inputs_(inputs),
        objective_(objective),
        window_(window),
        wanted_(objective.MaxRows() + kCenters) {
    for (size_t i = 0; i <= kGroupsAhead; ++i) {
      blocks_.emplace_back(objective.MaxRows());
    }
  }

  // Draws the first blocks of a run.
  HWY_INLINE void Start(const WordRun& run) {
    next_ = 0;
    for (size_t i = 0; i < kGroupsAhead; ++i) {
      Draw(run, run.first_center + i * kCenters);
    }
  }

  // The block of the group that begins at `center`; draws the block that is
  // next.
  HWY_INLINE OutputBlock& At(const WordRun& run, size_t center) {
    const size_t present = next_ == kGroupsAhead ? 0 : next_ + 1;
    Draw(run, center + kGroupsAhead * kCenters);
    objective_.Prepare(blocks_[present]);
    return blocks_[present];
  }

  // What will be needed next: the rows of the block drawn last, and of the
  // context words that come into reach then.
  absl::Span<const SharedRow> wanted() const {
    return absl::MakeConstSpan(wanted_).first(num_wanted_);
  }

 private:
  static absl::Span<const WordId> Targets(const WordRun& run, size_t center) {
    return absl::MakeConstSpan(run.words).subspan(
        center, std::min(kCenters, run.end_center - center));
  }

  HWY_INLINE void Draw(const WordRun& run, size_t center) {
    num_wanted_ = 0;
    if (center < run.end_center) {
      OutputBlock& block = blocks_[next_];
      objective_.Select(Targets(run, center), Rng(run.keys[center]), block);
      for (size_t j = 0; j < block.size; ++j) Want(block.rows[j]);
    }
    next_ = next_ == kGroupsAhead ? 0 : next_ + 1;
    const size_t following = center + kCenters;
    if (following < run.end_center) {
      objective_.PrefetchSelection(Targets(run, following),
                                   Rng(run.keys[following]));
    }
    if constexpr (Inputs::kInTable) {
      const size_t end = std::min(following + window_, run.words.size());
      for (size_t pos = center + window_; pos < end; ++pos) {
        Want(inputs_.Row(run.words, pos));
      }
    }
  }

  void Want(SharedRow row) { wanted_[num_wanted_++] = row; }

  const Inputs& inputs_;
  Objective& objective_;
  size_t window_;
  std::vector<OutputBlock> blocks_;
  size_t next_ = 0;  // the block to be drawn
  std::vector<SharedRow> wanted_;
  size_t num_wanted_ = 0;
};

// Exchanges what a worker's copies of hot rows have learnt, of all `Parts` of
// the training that have such copies: at the start, after kTeamCenters of all
// workers together (but not below kLeastCenters of this one), and at the end.
template <class... Parts>
class HotRowExchange {
 public:
  explicit HotRowExchange(const Worker& worker, Parts&... parts)
      : parts_(parts...),
        thread_(worker.thread()),
        threads_(static_cast<size_t>(worker.context().threads)),
        needed_(worker.context().rounds == nullptr) {
    Exchange();
  }
  ~HotRowExchange() { Exchange(); }
  HotRowExchange(const HotRowExchange&) = delete;
  HotRowExchange& operator=(const HotRowExchange&) = delete;

  HWY_INLINE void After(size_t centers) {
    centers_ += centers;
    if (centers_ < std::max(kLeastCenters, kTeamCenters / threads_)) return;
    centers_ = 0;
    Exchange();
  }

 private:
  static constexpr size_t kTeamCenters = 20000;
  static constexpr size_t kLeastCenters = 2000;

  template <class Part>
  void Exchange(Part& part) {
    if constexpr (requires { part.Exchange(thread_, threads_); }) {
      part.Exchange(thread_, threads_);
    }
  }
  void Exchange() {
    if (!needed_) return;
    std::apply([&](auto&... parts) { (Exchange(parts), ...); }, parts_);
  }

  std::tuple<Parts&...> parts_;
  size_t thread_;
  size_t threads_;
  bool needed_;  // with rounds, runs begin with new copies
  size_t centers_ = 0;
};

// Objectives that step by groups of at most kCenters windows.
template <size_t kCenters, class Inputs, class Architecture, class Objective>
void TrainGroups(Inputs inputs, Architecture architecture, Objective& objective,
                 Worker& worker) {
  const bool dynamic = worker.context().options.dynamic_window;
  const size_t reach = worker.window();
  BlocksAhead<Inputs, Objective, kCenters> blocks(inputs, objective, reach);
  const GroupWeights weights(objective.MaxRows());
  StepBlock steps(objective.MaxRows());
  LossSum losses;
  HotRowExchange exchange(worker, architecture, objective);
  while (const WordRun* run = worker.NextRun()) {
    exchange.After(run->end_center - run->first_center);
    blocks.Start(*run);
    inputs.Start(*run, worker.log());
    architecture.StartRun(worker.log());
    size_t size = 0;
    for (size_t center = run->first_center; center < run->end_center;
         center += size) {
      size = std::min(kCenters, run->end_center - center);
      inputs.MoveTo(*run, center - std::min(center, reach),
                    std::min(center + size + reach, run->words.size()));
      OutputBlock& block = blocks.At(*run, center);
      const WindowGroup group = GroupAt(*run, center, size, reach, dynamic);
      if (group.num_pairs() == 0) continue;
      architecture.Step(inputs, objective, group, block, weights,
                        blocks.wanted(), steps, losses, worker);
    }
    inputs.Finish(*run);
    architecture.FinishRun(worker.log());
    worker.AddLoss(losses.Take());
  }
  worker.Flush();
}

template <class Inputs, class Architecture, class Objective>
void TrainSentences(Inputs inputs, Architecture architecture,
                    Objective& objective, Worker& worker) {
  if constexpr (std::min(Architecture::kMostCenters, Objective::kMostCenters) >
                1) {
    if (architecture.shared_windows() == 2) {
      TrainGroups<2>(std::move(inputs), std::move(architecture), objective,
                     worker);
      return;
    }
  }
  TrainGroups<1>(std::move(inputs), std::move(architecture), objective, worker);
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
void TrainBatches(Architecture architecture, FullSoftmax& objective,
                  Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  const bool dynamic = worker.context().options.dynamic_window;
  SoftmaxBatch batch(objective.batch_size(), model.output().rows(),
                     model.dim());
  HotRowExchange exchange(worker, architecture);
  while (const WordRun* run = worker.NextRun()) {
    exchange.After(run->end_center - run->first_center);
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

// Where the model's input vectors come from.
template <class Architecture, class Objective>
void TrainWith(Architecture architecture, Objective& objective,
               Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  if constexpr (std::is_same_v<Objective, FullSoftmax>) {
    TrainBatches(std::move(architecture), objective, worker);
  } else if (model.composition() == nullptr) {
    TrainSentences(WordInputs(model.input()), std::move(architecture),
                   objective, worker);
  } else {
    const TrainOptions& options = worker.context().options;
    const bool alone = std::holds_alternative<NoSubwords>(options.subwords);
    TrainSentences(
        ComposedInputs(model, alone ? 1 : static_cast<float>(options.word_step),
                       static_cast<float>(options.subword_step),
                       2 * worker.window() + kMaxCenters),
        std::move(architecture), objective, worker);
  }
}

void TrainShardTarget(Worker& worker) {
  const EpochContext& context = worker.context();
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        auto made = MakeObjective(objective, context.tables, context.model,
                                  context.threads);
        TrainWith(
            MakeArchitecture(architecture, context.options, context.model),
            made, worker);
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
