// The window step: m input rows x_i against n output rows y_j.
//
//   score_ij = x_i . y_j
//   step_ij  = learning_rate * (label_j - s(score_ij - offset_j))
//   x_i     += sum_j step_ij y_j      y_j += sum_i step_ij x_i   (old values)
//
// with s(x) = 1 / (1 + exp(-x)): one step down the gradient of the sum of the
// logistic losses -ln s(+-(score_ij - offset_j)). Negative sampling, NCE and
// hierarchical softmax are this step with other rows, labels and offsets
// (STYLE.md 1.3).
//
// Idea: one pair at a time each row that is fetched is used once and the memory
// is the wall; a window uses it m or n times, in registers. Three passes, no
// packing, no library call:
//   scores  tiles of 2 inputs x 6 outputs: 12 accumulators, 2 inputs, an output
//           (15 of AVX2's 16 registers); their lanes are summed by transposing,
//           a tile row at once
//   steps   the scores' logistic and its loss, 8 columns at once
//   update  column strips of one vector: 6 outputs and their 6 steps in
//           registers (15 of 16 with input, its step and a factor); with more
//           outputs the inputs' steps wait in a first-level buffer
// With 6 inputs, rows in the cache and AVX2 the step does 56 GFLOP/s at dim 100
// (61% of the core's FMA peak), 66 (72%) at dim 300, 59 (65%) with 16 outputs
// at dim 100 (Zen 4 at 2.9 GHz). Scores take 30% of the time, steps 15%. Scores
// and steps in one pass were slower: the logistic's latency holds up the tiles.
//
// Every row is written by AddToLanes on its present value, so that a row that
// stands twice in the block gets both steps; what is read at the second place
// may already have moved (inputs; outputs in two strips of six).

#include <type_traits>

#include "absl/types/span.h"
#include "base/check.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_SIMD_WINDOW_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#undef FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#else
#define FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "simd/exp-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
constexpr size_t kScoreRows = 2;
constexpr size_t kTileCols = 6;

// Input rows that are rows of the shared input table (skip-gram).
struct SharedInputs {
  SharedRow rows[kMaxInputRows];

  HWY_INLINE FloatVec Load(size_t i, size_t at) const {
    return LoadLanes(rows[i], at);
  }
  HWY_INLINE void AddStep(size_t i, size_t at, FloatVec step) const {
    AddToLanes(rows[i], at, step);
  }
};

// One private hidden vector (CBOW): its step is handed out, not applied.
struct HiddenInput {
  const float* hidden;  // [columns]
  float* hidden_step;   // [columns], overwritten

  HWY_INLINE FloatVec Load(size_t, size_t at) const {
    return hn::Load(FloatTag(), hidden + at);
  }
  HWY_INLINE void AddStep(size_t, size_t at, FloatVec step) const {
    hn::Store(step, FloatTag(), hidden_step + at);
  }
};

// Scores become steps in vectors of at most 8, which hold a tile's columns.
using StepTag = hn::CappedTag<float, 8>;
using StepVec = hn::Vec<StepTag>;
constexpr size_t kStepLanes = hn::MaxLanes(StepTag());

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE StepVec SumsOf(const FloatVec* v, size_t) { return v[0]; }
#else
// In each block of 128 bits the sums of that block's lanes of v[0] to v[3],
// zeros beyond `count`: 6 shuffles for what takes 8 one at a time.
HWY_INLINE FloatVec BlockSumsOf(const FloatVec* v, size_t count) {
  const FloatTag d;
  const hn::Repartition<uint64_t, FloatTag> pairs;
  const FloatVec zero = hn::Zero(d);
  if (count == 0) return zero;
  const FloatVec v0 = v[0];
  const FloatVec v1 = count > 1 ? v[1] : zero;
  const FloatVec v2 = count > 2 ? v[2] : zero;
  const FloatVec v3 = count > 3 ? v[3] : zero;
  // [v0_0 + v0_2, v1_0 + v1_2, v0_1 + v0_3, v1_1 + v1_3].
  const auto v01 = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, v0, v1),
                                              hn::InterleaveUpper(d, v0, v1)));
  const auto v23 = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, v2, v3),
                                              hn::InterleaveUpper(d, v2, v3)));
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, v01, v23)),
                 hn::BitCast(d, hn::InterleaveUpper(pairs, v01, v23)));
}

// The blocks of `low` added up, then those of `high`.
template <class V>
HWY_INLINE StepVec AddBlocks(V low, V high) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) <= 4) {
    return low;
  } else if constexpr (hn::MaxLanes(d) == 8) {
    return hn::Add(hn::ConcatLowerLower(d, high, low),
                   hn::ConcatUpperUpper(d, high, low));
  } else {
    const hn::Half<hn::DFromV<V>> half;
    return AddBlocks(
        hn::Add(hn::LowerHalf(half, low), hn::UpperHalf(half, low)),
        hn::Add(hn::LowerHalf(half, high), hn::UpperHalf(half, high)));
  }
}

// The sums of the lanes of `count` vectors, as many as a StepVec holds at most.
HWY_INLINE StepVec SumsOf(const FloatVec* v, size_t count) {
  return AddBlocks(BlockSumsOf(v, count), count > 4
                                              ? BlockSumsOf(v + 4, count - 4)
                                              : hn::Zero(FloatTag()));
}
#endif

// The scores of kRows inputs, from i0, and a tile of kCols output rows, from
// j0.
template <size_t kRows, size_t kCols, class Inputs>
HWY_INLINE void ScoreTile(const Inputs& inputs, size_t i0,
                          const OutputBlock& outputs, size_t j0, size_t columns,
                          StepBlock& scores) {
  const FloatTag d;
  FloatVec sums[kRows * kCols];
  HWY_UNROLL(12)
  for (size_t k = 0; k < kRows * kCols; ++k) sums[k] = hn::Zero(d);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    FloatVec x[kRows];
    HWY_UNROLL(2)
    for (size_t i = 0; i < kRows; ++i) x[i] = inputs.Load(i0 + i, at);
    HWY_UNROLL(6)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec y = LoadLanes(outputs.rows[j0 + j], at);
      HWY_UNROLL(2)
      for (size_t i = 0; i < kRows; ++i) {
        sums[i * kCols + j] = hn::MulAdd(x[i], y, sums[i * kCols + j]);
      }
    }
  }
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kCols; j += kStepLanes) {
      hn::StoreU(SumsOf(sums + i * kCols + j, kCols - j), StepTag(),
                 scores.Row(i0 + i) + j0 + j);
    }
  }
}

template <size_t kCols, class Inputs>
HWY_INLINE void ScoreCols(const Inputs& inputs, size_t m,
                          const OutputBlock& outputs, size_t j0, size_t columns,
                          StepBlock& scores) {
  size_t i = 0;
  for (; i + kScoreRows <= m; i += kScoreRows) {
    ScoreTile<kScoreRows, kCols>(inputs, i, outputs, j0, columns, scores);
  }
  if (i < m) ScoreTile<1, kCols>(inputs, i, outputs, j0, columns, scores);
}

// call(std::integral_constant<size_t, cols>()) for 1 to kTileCols columns.
template <class Call>
HWY_INLINE void WithCols(size_t cols, const Call& call) {
  FIRTH_DCHECK(cols <= kTileCols);
  switch (cols) {
    case 6:
      return call(std::integral_constant<size_t, 6>());
    case 5:
      return call(std::integral_constant<size_t, 5>());
    case 4:
      return call(std::integral_constant<size_t, 4>());
    case 3:
      return call(std::integral_constant<size_t, 3>());
    case 2:
      return call(std::integral_constant<size_t, 2>());
    case 1:
      return call(std::integral_constant<size_t, 1>());
    default:
      return;
  }
}

template <class Inputs>
HWY_INLINE void ScoreRows(const Inputs& inputs, size_t m,
                          const OutputBlock& outputs, size_t columns,
                          StepBlock& scores) {
  size_t j = 0;
  for (; j + kTileCols < outputs.size; j += kTileCols) {
    ScoreCols<kTileCols>(inputs, m, outputs, j, columns, scores);
  }
  WithCols(outputs.size - j, [&](auto cols) HWY_ATTR {
    ScoreCols<cols()>(inputs, m, outputs, j, columns, scores);
  });
}

// Turns scores into steps, in place; returns the sum of the losses in nats.
// With z = +-(score - offset), positive when right, a loss is
//   -ln s(z) = max(-z, 0) + ln(1 + exp(-|z|)),
// and the logarithms of a column are taken as one, of their product: a factor
// lies in (1, 2], so kMaxInputRows of them fit a float. A score that is not
// finite makes the loss so: (|z| - z) / 2 stands for max(-z, 0), which would
// hide a NaN.
HWY_INLINE float ScoresToSteps(size_t m, const OutputBlock& outputs,
                               float learning_rate, StepBlock& scores) {
  const StepTag d;
  const StepVec one = hn::Set(d, 1.0f);
  const StepVec rate = hn::Set(d, learning_rate);
  StepVec losses = hn::Zero(d);
  for (size_t j = 0; j < outputs.size; j += kStepLanes) {
    const StepVec label = hn::LoadU(d, outputs.labels() + j);
    const StepVec offset = hn::LoadU(d, outputs.offsets() + j);
    const StepVec sign = hn::Sub(hn::Add(label, label), one);
    StepVec twice_linear = hn::Zero(d);
    StepVec product = one;
    for (size_t i = 0; i < m; ++i) {
      float* at = scores.Row(i) + j;
      const StepVec score = hn::Sub(hn::LoadU(d, at), offset);
      const StepVec size = hn::Abs(score);
      const StepVec e = BoundedExp(d, hn::Neg(size));
      const StepVec factor = hn::Add(one, e);
      const StepVec below = hn::Div(one, factor);  // s(|score|)
      const StepVec sigmoid =
          hn::IfThenElse(hn::Ge(score, hn::Zero(d)), below, hn::Mul(e, below));
      hn::StoreU(hn::Mul(rate, hn::Sub(label, sigmoid)), d, at);
      // |score| - score for label 1, |score| + score for 0.
      twice_linear = hn::Add(twice_linear, hn::NegMulAdd(sign, score, size));
      product = hn::Mul(product, factor);
    }
    const StepVec loss =
        hn::MulAdd(hn::Set(d, 0.5f), twice_linear, hn::Log(d, product));
    const auto real = hn::FirstN(d, outputs.size - j);
    losses = hn::Add(losses, hn::IfThenElseZero(real, loss));
  }
  return hn::GetLane(hn::SumOfLanes(d, losses));
}

// One strip (a vector's width of columns) of kCols output rows against all
// inputs of the block. An input's step is a sum over all tiles of the strip; it
// waits in `x_steps` between the first and the last.
template <size_t kCols, bool kFirst, bool kLast, class Inputs>
HWY_INLINE void UpdateStrip(const Inputs& inputs, size_t m, size_t at,
                            const SharedRow* outputs, const float* steps,
                            size_t stride, float* x_steps) {
  const FloatTag d;
  FloatVec y[kCols];
  FloatVec y_step[kCols];
  HWY_UNROLL(6)
  for (size_t j = 0; j < kCols; ++j) {
    y[j] = LoadLanes(outputs[j], at);
    y_step[j] = hn::Zero(d);
  }
  for (size_t i = 0; i < m; ++i) {
    const FloatVec x = inputs.Load(i, at);
    FloatVec x_step =
        kFirst ? hn::Zero(d) : hn::Load(d, x_steps + i * FloatLanes());
    HWY_UNROLL(6)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec step = hn::Set(d, steps[i * stride + j]);
      x_step = hn::MulAdd(step, y[j], x_step);
      y_step[j] = hn::MulAdd(step, x, y_step[j]);
    }
    if (kLast) {
      inputs.AddStep(i, at, x_step);
    } else {
      hn::Store(x_step, d, x_steps + i * FloatLanes());
    }
  }
  HWY_UNROLL(6)
  for (size_t j = 0; j < kCols; ++j) AddToLanes(outputs[j], at, y_step[j]);
}

// Both passes' last: moves all rows. Asks for the cache lines of the `wanted`
// rows strip by strip on the way: all at once they would fill the queue of
// misses and stop the loads behind them.
template <class Inputs>
HWY_INLINE void UpdateRows(const Inputs& inputs, size_t m,
                           const OutputBlock& outputs, const StepBlock& steps,
                           absl::Span<const SharedRow> wanted, size_t columns) {
  const SharedRow* rows = outputs.rows.data();
  const float* step = steps.Row(0);
  const size_t stride = steps.stride();
  if (outputs.size <= kTileCols) {
    WithCols(outputs.size, [&](auto cols) HWY_ATTR {
      for (size_t at = 0; at < columns; at += FloatLanes()) {
        PrefetchColumns(wanted, at);
        UpdateStrip<cols(), true, true>(inputs, m, at, rows, step, stride,
                                        nullptr);
      }
    });
    return;
  }
  HWY_ALIGN float x_steps[kMaxInputRows * kMaxLanes];
  const size_t last = (outputs.size - 1) / kTileCols * kTileCols;
  WithCols(outputs.size - last, [&](auto cols) HWY_ATTR {
    for (size_t at = 0; at < columns; at += FloatLanes()) {
      PrefetchColumns(wanted, at);
      UpdateStrip<kTileCols, true, false>(inputs, m, at, rows, step, stride,
                                          x_steps);
      for (size_t j = kTileCols; j < last; j += kTileCols) {
        UpdateStrip<kTileCols, false, false>(inputs, m, at, rows + j, step + j,
                                             stride, x_steps);
      }
      UpdateStrip<cols(), false, true>(inputs, m, at, rows + last, step + last,
                                       stride, x_steps);
    }
  });
}

// The whole step for the first m (at most kMaxInputRows) inputs. Returns the
// sum of the m * n losses before the step, in nats. columns: VisitedColumns().
// wanted: rows of as many columns that will be stepped soon.
template <class Inputs>
HWY_INLINE float StepWindow(const Inputs& inputs, size_t m,
                            const OutputBlock& outputs, float learning_rate,
                            size_t columns, absl::Span<const SharedRow> wanted,
                            StepBlock& steps) {
  FIRTH_DCHECK(m <= kMaxInputRows);
  ScoreRows(inputs, m, outputs, columns, steps);
  const float loss = ScoresToSteps(m, outputs, learning_rate, steps);
  UpdateRows(inputs, m, outputs, steps, wanted, columns);
  return loss;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
