// ColumnStepper: steps of some windows at once, on a share of the columns.
//
// A step waits until there are as many as a batch has. Then all their scores
// are computed, as far as this rank's columns give them, added up over all
// ranks, and every step is made. So the scores of a batch are those of the rows
// before it; a batch of 1 is what one process does.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "model/embedding_model.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/columns/train_columns.h"
#include "train/window.h"

#if defined(FIRTH_TRAIN_COLUMNS_COLUMN_STEPPER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_COLUMNS_COLUMN_STEPPER_INL_H_
#undef FIRTH_TRAIN_COLUMNS_COLUMN_STEPPER_INL_H_
#else
#define FIRTH_TRAIN_COLUMNS_COLUMN_STEPPER_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/window_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class ColumnStepper {
 public:
  // max_rows: of a block. Borrows the scores.
  ColumnStepper(const EmbeddingModel& model, size_t max_rows, size_t batch,
                ColumnScores& scores)
      : columns_(VisitedColumns(model.dim())),
        weights_(max_rows),
        steps_(max_rows),
        scores_(scores) {
    for (size_t i = 0; i < batch; ++i) waiting_.emplace_back(max_rows);
  }

  void set_learning_rate(float rate) { learning_rate_ = rate; }
  const float* WeightsOf(uint32_t contexts) const {
    return weights_.Of(contexts);
  }

  void StepWords(const SharedInputs& inputs, size_t count,
                 const PairWeights* weights, const OutputBlock& block,
                 absl::Span<const SharedRow> wanted) {
    Waiting& step = waiting_[num_waiting_++];
    std::copy_n(inputs.rows, count, step.inputs.rows);
    step.count = count;
    step.has_weights = weights != nullptr;
    if (weights != nullptr) std::copy_n(weights->of, count, step.weights.of);
    Copy(block, &step.block);
    step.learning_rate = learning_rate_;
    for (const SharedRow row : wanted) {
      for (size_t at = 0; at < columns_; at += kRowFloats) {
        PrefetchElement(row, at);
      }
    }
    if (num_waiting_ == waiting_.size()) StepAll();
  }

  // Makes all steps that wait.
  void StepAll() {
    scores_.Clear();
    for (size_t i = 0; i < num_waiting_; ++i) AddScores(waiting_[i]);
    if (num_waiting_ > 0) scores_.Sum();
    const float* scores = scores_.data();
    if (scores_.status().ok()) {
      for (size_t i = 0; i < num_waiting_; ++i) Step(waiting_[i], &scores);
    }
    num_waiting_ = 0;
  }

  // The sum of the losses of the steps made since the last call.
  double TakeLoss() { return losses_.Take(); }

 private:
  struct Waiting {
    explicit Waiting(size_t max_rows) : block(max_rows) {}
    SharedInputs inputs;
    size_t count = 0;  // inputs
    bool has_weights = false;
    PairWeights weights;
    OutputBlock block;
    float learning_rate = 0;
  };

  static void Copy(const OutputBlock& block, OutputBlock* to) {
    to->Clear();
    for (size_t j = 0; j < block.size; ++j) {
      to->Push(block.rows[j], block.ids[j], block.labels()[j],
               block.offsets()[j]);
    }
  }

  void AddScores(const Waiting& step) {
    if (step.block.size == 0) return;
    ScoreRows(step.inputs, step.count, step.block, columns_, steps_);
    float* to = scores_.Add(step.count * step.block.size);
    for (size_t i = 0; i < step.count; ++i, to += step.block.size) {
      std::copy_n(steps_.Row(i), step.block.size, to);
    }
  }

  void Step(const Waiting& step, const float** scores) {
    const OutputBlock& block = step.block;
    if (block.size == 0) return;
    for (size_t i = 0; i < step.count; ++i, *scores += block.size) {
      std::copy_n(*scores, block.size, steps_.Row(i));
    }
    if (step.has_weights) {
      ScoresToSteps(step.count, block, step.weights, step.learning_rate, steps_,
                    losses_);
    } else {
      ScoresToSteps(step.count, block, EqualWeights(), step.learning_rate,
                    steps_, losses_);
    }
    UpdateRows(step.inputs, step.count, block.rows.data(), block.size, steps_,
               {}, columns_);
  }

  size_t columns_;
  float learning_rate_ = 0;
  GroupWeights weights_;
  StepBlock steps_;
  LossSum losses_;
  std::vector<Waiting> waiting_;
  size_t num_waiting_ = 0;
  ColumnScores& scores_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
