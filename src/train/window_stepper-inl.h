// WindowStepper: the kernel with what it needs besides the rows of a window,
// and where the steps go that it makes (see table_updates-inl.h).

#include <algorithm>

#include "absl/types/span.h"
#include "model/embedding_model.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/window.h"

#if defined(FIRTH_TRAIN_WINDOW_STEPPER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_WINDOW_STEPPER_INL_H_
#undef FIRTH_TRAIN_WINDOW_STEPPER_INL_H_
#else
#define FIRTH_TRAIN_WINDOW_STEPPER_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/window_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

template <class Updates>
class WindowStepper {
 public:
  // max_rows: of a block. Borrows the updates.
  WindowStepper(const EmbeddingModel& model, size_t max_rows, Updates& updates)
      : columns_(VisitedColumns(model.dim())),
        has_bias_(model.has_output_bias()),
        weights_(max_rows),
        steps_(max_rows),
        updates_(updates) {}

  // Of the steps from now on.
  void set_learning_rate(float rate) { learning_rate_ = rate; }

  // How often the pairs of an input count that is in the contexts of these
  // windows of a group.
  const float* WeightsOf(uint32_t contexts) const {
    return weights_.Of(contexts);
  }

  // Steps `count` input rows against the block. weights: null: each pair counts
  // once. wanted: rows that will be stepped soon.
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
    StepBiases(block, count);
  }

  // Steps a hidden vector against the block; its own step is handed out.
  HWY_INLINE void StepHidden(const HiddenInput& hidden,
                             const OutputBlock& block,
                             absl::Span<const SharedRow> wanted) {
    StepHiddenVector(hidden, updates_.RowsOf(block), block, learning_rate_,
                     columns_, wanted, steps_, losses_);
    StepBiases(block, 1);
  }

  // The sum of the losses since the last call.
  double TakeLoss() { return losses_.Take(); }

 private:
  // A bias takes the sum of its column's steps: its input is always 1.
  HWY_INLINE void StepBiases(const OutputBlock& block, size_t num_inputs) {
    if (!has_bias_) return;
    const StepTag d;
    for (size_t j = 0; j < block.size; j += kStepLanes) {
      StepVec sums = hn::LoadU(d, steps_.Row(0) + j);
      for (size_t i = 1; i < num_inputs; ++i) {
        sums = hn::Add(sums, hn::LoadU(d, steps_.Row(i) + j));
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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
