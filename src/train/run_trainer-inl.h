// RunTrainer: goes through a run of words, window by window. Blocks of output
// rows are drawn, and the rows to be stepped prefetched, some windows ahead.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "firth/train.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

#if defined(FIRTH_TRAIN_RUN_TRAINER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_RUN_TRAINER_INL_H_
#undef FIRTH_TRAIN_RUN_TRAINER_INL_H_
#else
#define FIRTH_TRAIN_RUN_TRAINER_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/hidden_kernel-inl.h"
#include "simd/window_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Blocks are drawn, and the rows of blocks and contexts are prefetched, this
// many groups before their use; the data for drawing, one group earlier.
constexpr size_t kGroupsAhead = 2;

// The output blocks of a run, drawn ahead in a ring, and the rows to prefetch.
template <class Inputs, class Objective>
class BlocksAhead {
 public:
  // `centers` is the number of centers in a group.
  BlocksAhead(const Inputs& inputs, Objective& objective, size_t centers,
              size_t window)
      : inputs_(inputs),
        objective_(objective),
        centers_(centers),
        window_(window),
        wanted_(objective.MaxRows() + centers) {
    for (size_t i = 0; i <= kGroupsAhead; ++i) {
      blocks_.emplace_back(objective.MaxRows());
    }
  }

  // Draws the first blocks of a run.
  HWY_INLINE void Start(const WordRun& run) {
    next_ = 0;
    PrefetchSelection(run, run.first_center);
    for (size_t i = 0; i < kGroupsAhead; ++i) {
      Draw(run, run.first_center + i * centers_);
    }
  }

  // Returns the block of the group that begins at `center`; draws the next one.
  HWY_INLINE const OutputBlock& At(const WordRun& run, size_t center) {
    const size_t present = next_ == kGroupsAhead ? 0 : next_ + 1;
    Draw(run, center + kGroupsAhead * centers_);
    objective_.Prepare(blocks_[present]);
    return blocks_[present];
  }

  // Returns the rows that will be needed next: those of the block drawn last,
  // and of the context words that then come into reach.
  absl::Span<const SharedRow> wanted() const {
    return absl::MakeConstSpan(wanted_).first(num_wanted_);
  }

 private:
  absl::Span<const WordId> Targets(const WordRun& run, size_t center) const {
    return absl::MakeConstSpan(run.words).subspan(
        center, std::min(centers_, run.end_center - center));
  }

  void PrefetchSelection(const WordRun& run, size_t center) {
    if (center >= run.end_center) return;
    objective_.PrefetchSelection(Targets(run, center), Rng(run.keys[center]));
  }

  void Draw(const WordRun& run, size_t center) {
    num_wanted_ = 0;
    if (center < run.end_center) {
      OutputBlock& block = blocks_[next_];
      objective_.Select(Targets(run, center), block);
      for (size_t j = 0; j < block.size; ++j) Want(block.rows[j]);
    }
    next_ = next_ == kGroupsAhead ? 0 : next_ + 1;
    const size_t following = center + centers_;
    PrefetchSelection(run, following);
    if constexpr (Inputs::kInTable) {
      if (window_ == 0) return;
      const size_t end = std::min(following + window_, run.words.size());
      for (size_t pos = center + window_; pos < end; ++pos) Want(inputs_[pos]);
    }
  }

  void Want(SharedRow row) { wanted_[num_wanted_++] = row; }

  const Inputs& inputs_;
  Objective& objective_;
  size_t centers_;
  size_t window_;
  std::vector<OutputBlock> blocks_;
  size_t next_ = 0;  // The block to be drawn.
  std::vector<SharedRow> wanted_;
  size_t num_wanted_ = 0;
};

// The kernel and its parameters, except for the rows of a window. `Updates`
// takes the steps that it makes (see table_updates-inl.h).
template <class Updates>
class WindowStepper {
 public:
  // `max_rows` is the maximum size of a block. Borrows the updates.
  WindowStepper(const EmbeddingModel& model, size_t max_rows, Updates& updates)
      : columns_(VisitedColumns(model.dim())),
        has_bias_(model.has_output_bias()),
        weights_(max_rows),
        steps_(max_rows),
        updates_(updates) {}

  // Sets the learning rate of all further steps.
  void set_learning_rate(float rate) { learning_rate_ = rate; }

  // Returns the weights of an input's pairs in a group of `size` windows, given
  // the set of those whose contexts contain the input.
  const float* WeightsOf(size_t size, uint32_t contexts) const {
    return weights_.Of(size, contexts);
  }

  // Steps `count` input rows against the block. If `weights` is null, each pair
  // counts once. `wanted` are rows that will be stepped soon.
  HWY_INLINE void StepWords(const SharedInputs& inputs, size_t count,
                            const PairWeights* weights,
                            const OutputBlock& block,
                            absl::Span<const SharedRow> wanted) {
    const auto* const rows = updates_.RowsOf(block);
    if (weights == nullptr) {
      StepWindow(inputs, count, rows, block, EqualWeights(), learning_rate_,
                 columns_, wanted, steps_, losses_);
    } else {
      StepWindow(inputs, count, rows, block, *weights, learning_rate_, columns_,
                 wanted, steps_, losses_);
    }
    StepBiases(block, 0, 0, count);
  }

  // Steps a hidden vector against the block. Stores the vector's own step.
  HWY_INLINE void StepHidden(const HiddenInput& hidden,
                             const OutputBlock& block,
                             absl::Span<const SharedRow> wanted) {
    StepHiddenVector(hidden, updates_.RowsOf(block), block, learning_rate_,
                     columns_, wanted, steps_, losses_);
    StepBiases(block, 0, 0, 1);
  }

  // Does the same for the `count` hidden vectors of a group's windows, whose
  // targets are the first rows of the block.
  HWY_INLINE void StepHidden(const HiddenInputs& hidden, size_t count,
                             const OutputBlock& block,
                             absl::Span<const SharedRow> wanted) {
    StepHiddenVectors(hidden, count, updates_.RowsOf(block), block,
                      learning_rate_, columns_, wanted, steps_, losses_);
    for (size_t i = 0; i < count && has_bias_; ++i) {
      updates_.AddBias(block.ids[i], steps_.Row(i)[0]);
    }
    StepBiases(block, count, 1, count);
  }

  // Returns the sum of the losses since the last call.
  double TakeLoss() { return losses_.Take(); }

 private:
  // Adds to the biases of the outputs from number `first` on the sums of their
  // steps, which are in the columns from `column` on: their input is always 1.
  HWY_INLINE void StepBiases(const OutputBlock& block, size_t first,
                             size_t column, size_t num_inputs) {
    if (!has_bias_) return;
    const StepTag d;
    for (size_t j = first; j < block.size; j += kStepLanes) {
      const size_t at = column + (j - first);
      StepVec sums = hn::LoadU(d, steps_.Row(0) + at);
      for (size_t i = 1; i < num_inputs; ++i) {
        sums = hn::Add(sums, hn::LoadU(d, steps_.Row(i) + at));
      }
      HWY_ALIGN float sum[kStepLanes];
      hn::Store(sums, d, sum);
      const size_t end = std::min(block.size, j + kStepLanes);
      for (size_t k = j; k < end; ++k) {
        updates_.AddBias(block.ids[k], sum[k - j]);
      }
    }
  }

  size_t columns_;
  bool has_bias_;
  float learning_rate_ = 0;
  GroupWeights weights_;
  StepBlock steps_;
  LossSum losses_;
  Updates& updates_;
};

// Borrows all constructor arguments except the stepper. Stepper is
// WindowStepper, or another class with the same methods, or a reference to one.
template <class Inputs, class Architecture, class Objective, class Stepper>
class RunTrainer {
 public:
  RunTrainer(const TrainOptions& options, Inputs& inputs,
             Architecture& architecture, Objective& objective, Stepper stepper)
      : dynamic_(options.dynamic_window),
        window_(static_cast<size_t>(options.window)),
        centers_(std::min(architecture.most_centers(),
                          size_t{Objective::kMostCenters})),
        inputs_(inputs),
        architecture_(architecture),
        blocks_(inputs, objective, centers_, window_),
        stepper_(std::forward<Stepper>(stepper)) {}

  // Steps every window of the run. Calls `after` with the number of centers
  // after each group that has examples.
  template <class After>
  WorkDone Train(const WordRun& run, float learning_rate, const After& after) {
    stepper_.set_learning_rate(learning_rate);
    Start(run);
    WorkDone done;
    for (size_t center = run.first_center; center < run.end_center;) {
      const size_t first = center;
      const size_t examples = StepGroup(run, &center);
      if (examples == 0) continue;
      done.examples += examples;
      after(center - first);
    }
    inputs_.MoveTo(run, run.words.size(), run.words.size());
    done.loss = stepper_.TakeLoss();
    return done;
  }

  // Does the same in parts: call Start(), then StepGroup() while *center,
  // initially the run's first center, is a center. Keep the run unchanged.
  void Start(const WordRun& run) {
    inputs_.Start(run);
    blocks_.Start(run);
  }

  // Steps the windows of the group at *center, and moves *center past them.
  // Returns the number of examples.
  HWY_INLINE size_t StepGroup(const WordRun& run, size_t* center) {
    const size_t first = *center;
    const size_t size = std::min(centers_, run.end_center - first);
    *center += size;
    inputs_.MoveTo(run, first - std::min(first, window_),
                   std::min(first + size + window_, run.words.size()));
    const OutputBlock& block = blocks_.At(run, first);
    const WindowGroup group = GroupAt(run, first, size, window_, dynamic_);
    if (group.num_pairs() == 0) return 0;
    return architecture_.Step(inputs_, group, block, blocks_.wanted(),
                              stepper_);
  }

 private:
  bool dynamic_;
  size_t window_;
  size_t centers_;  // In a group.
  Inputs& inputs_;
  Architecture& architecture_;
  BlocksAhead<Inputs, Objective> blocks_;
  Stepper stepper_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
