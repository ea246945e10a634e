// ColumnStepper: steps several windows at once, on some of the columns.
//
// Windows are collected until there are enough for an exchange. Then the part
// of their scores that comes from this rank's columns is computed and sent to
// the other ranks. Meanwhile the previous exchange completes: its scores are
// summed over all ranks, and its steps are made. So no rank waits for the
// network if a transfer takes less time than the computation in between. The
// scores of a window miss the steps of the previous exchange and those of
// earlier windows in its own exchange. Scoring and stepping visit many rows,
// which are prefetched a few windows ahead. Scores are sent as 16-bit numbers.
// With a batch of 1, they are sent at full precision and waited for, as in a
// single process.

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

using HalfTag = hn::Rebind<hwy::float16_t, FloatTag>;

// Converts `from` to 16 bits. Its size must be a multiple of a cache line.
HWY_INLINE void Narrow(const std::vector<float>& from,
                       std::vector<hwy::float16_t>* to) {
  const FloatTag d;
  to->resize(from.size());
  for (size_t at = 0; at < from.size(); at += FloatLanes()) {
    hn::StoreU(hn::DemoteTo(HalfTag(), hn::LoadU(d, from.data() + at)),
               HalfTag(), to->data() + at);
  }
}

// Sets (*to)[i] to the sum over the ranks of `from`, [ranks, to->size()], in
// rank order, so that all ranks get the same bits.
HWY_INLINE void AddUp(const std::vector<hwy::float16_t>& from,
                      std::vector<float>* to) {
  const FloatTag d;
  const size_t size = to->size();
  for (size_t at = 0; at < size; at += FloatLanes()) {
    FloatVec sum = hn::Zero(d);
    for (size_t i = at; i < from.size(); i += size) {
      sum =
          hn::Add(sum, hn::PromoteTo(d, hn::LoadU(HalfTag(), from.data() + i)));
    }
    hn::StoreU(sum, d, to->data() + at);
  }
}

class ColumnStepper {
 public:
  // `max_rows` is the maximum size of a block. Borrows the exchange.
  ColumnStepper(const EmbeddingModel& model, size_t max_rows,
                ScoreExchange& exchange)
      : columns_{model.dim()},
        weights_(max_rows),
        steps_(max_rows),
        exchange_(exchange) {
    for (Part& part : parts_) {
      for (size_t i = 0; i < exchange.windows(); ++i) {
        part.windows.emplace_back(max_rows);
      }
    }
  }

  void set_learning_rate(float rate) { learning_rate_ = rate; }
  const float* WeightsOf(uint32_t contexts) const {
    return weights_.Of(contexts);
  }

  // Prefetches nothing: the rows of a window are used when it is scored.
  void StepWords(const SharedInputs& inputs, size_t count,
                 const PairWeights* weights, const OutputBlock& block,
                 absl::Span<const SharedRow>) {
    Part& part = parts_[waiting_];
    Waiting& step = part.windows[part.count++];
    std::copy_n(inputs.rows, count, step.inputs.rows);
    step.count = count;
    step.has_weights = weights != nullptr;
    if (weights != nullptr) std::copy_n(weights->of, count, step.weights.of);
    Copy(block, &step.block);
    step.learning_rate = learning_rate_;
    part.pairs += count * block.size;
    if (part.count < part.windows.size() && part.pairs < kMostPairs) return;
    Send(part);
    if (exchange_.is_exact()) return Receive(part);
    waiting_ = 1 - waiting_;
    Receive(parts_[waiting_]);
  }

  // Makes all waiting steps.
  void StepAll() {
    Part& part = parts_[waiting_];
    if (part.count > 0) Send(part);
    Receive(parts_[1 - waiting_]);
    Receive(part);
  }

  // Returns the sum of the losses of the steps made since the last call.
  double TakeLoss() { return losses_.Take(); }

 private:
  // An exchange with this many pairs is sent before it has all its windows.
  static constexpr size_t kMostPairs = size_t{1} << 20;
  static constexpr size_t kWindowsAhead = 2;

  struct Waiting {
    explicit Waiting(size_t max_rows) : block(max_rows) {}
    SharedInputs inputs;
    size_t count = 0;  // Number of inputs.
    bool has_weights = false;
    PairWeights weights;
    OutputBlock block;
    float learning_rate = 0;
  };
  // The windows of one exchange.
  struct Part {
    std::vector<Waiting> windows;
    size_t count = 0;
    size_t pairs = 0;
    std::vector<float> scores;  // Of this rank's columns, then of all.
    std::vector<hwy::float16_t> own;
    std::vector<hwy::float16_t> all;
  };

  static void Copy(const OutputBlock& block, OutputBlock* to) {
    to->Clear();
    for (size_t j = 0; j < block.size; ++j) {
      to->Push(block.rows[j], block.ids[j], block.labels()[j],
               block.offsets()[j]);
    }
  }

  // Computes the scores and sends them.
  void Send(Part& part) {
    part.scores.clear();
    for (size_t i = 0; i < part.count; ++i) {
      Prefetch(part, i + kWindowsAhead);
      AddScores(part.windows[i], &part.scores);
    }
    if (exchange_.is_exact()) return exchange_.Sum(absl::MakeSpan(part.scores));
    const size_t lines = (part.scores.size() + kRowFloats - 1) / kRowFloats;
    part.scores.resize(lines * kRowFloats);
    Narrow(part.scores, &part.own);
    part.all.resize(part.own.size() * exchange_.num_ranks());
    exchange_.Begin({reinterpret_cast<const char*>(part.own.data()),
                     part.own.size() * sizeof(hwy::float16_t)},
                    reinterpret_cast<char*>(part.all.data()));
  }

  // Makes the steps, once the scores of all ranks have arrived.
  void Receive(Part& part) {
    if (part.count == 0) return;
    if (!exchange_.is_exact()) {
      exchange_.Await();
      AddUp(part.all, &part.scores);
    }
    const float* scores = part.scores.data();
    if (exchange_.status().ok()) {
      for (size_t i = 0; i < part.count; ++i) {
        Prefetch(part, i + kWindowsAhead);
        Step(part.windows[i], &scores);
      }
    }
    part.count = part.pairs = 0;
  }

  // Prefetches the rows of a window, if the part contains it.
  void Prefetch(const Part& part, size_t window) const {
    if (window >= part.count) return;
    const Waiting& step = part.windows[window];
    for (size_t i = 0; i < step.count; ++i) Prefetch(step.inputs.rows[i]);
    for (size_t j = 0; j < step.block.size; ++j) Prefetch(step.block.rows[j]);
  }
  HWY_INLINE void Prefetch(SharedRow row) const {
    for (size_t at = 0; at < columns_.count; at += kRowFloats) {
      PrefetchElement(row, at);
    }
    PrefetchElement(row, columns_.count - 1);
  }

  void AddScores(const Waiting& step, std::vector<float>* scores) {
    if (step.block.size == 0) return;
    ScoreRows(step.inputs, step.count, step.block, columns_, steps_);
    for (size_t i = 0; i < step.count; ++i) {
      const float* const row = steps_.Row(i);
      scores->insert(scores->end(), row, row + step.block.size);
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

  UnpaddedColumns columns_;
  float learning_rate_ = 0;
  GroupWeights weights_;
  StepBlock steps_;
  LossSum losses_;
  ScoreExchange& exchange_;
  Part parts_[2];
  // The part that collects windows. The other one, if not empty, is in transit.
  size_t waiting_ = 0;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
