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
// is the wall; a window uses it m or n times, in registers. Two passes over the
// rows, no packing, no library call:
//   scores  2 x 4 tiles: 8 accumulators, 2 inputs, outputs as memory operands
//           (11 of AVX2's 16 registers)
//   update  column strips of one vector: 6 outputs and their 6 steps in
//           registers (15 of 16 with input, its step and a factor); the inputs'
//           strip and steps sit in a small first-level buffer
// Every row is written by AddToLanes on its present value, so that a row that
// stands twice in the block gets both steps. (An output row that stands in two
// strips of six is read by the second after the first has moved it.)

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_SIMD_WINDOW_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#undef FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#else
#define FIRTH_SIMD_WINDOW_KERNEL_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/exp-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
constexpr size_t kScoreRows = 2;
constexpr size_t kScoreCols = 4;
constexpr size_t kUpdateCols = 6;

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
  const float* hidden;  // [padded_dim]
  float* hidden_step;   // [padded_dim], overwritten

  HWY_INLINE FloatVec Load(size_t, size_t at) const {
    return hn::Load(FloatTag(), hidden + at);
  }
  HWY_INLINE void AddStep(size_t, size_t at, FloatVec step) const {
    hn::Store(step, FloatTag(), hidden_step + at);
  }
};

template <size_t kRows, size_t kCols, class Inputs>
HWY_INLINE void ScoreTile(const Inputs& inputs, size_t i0,
                          const SharedRow* outputs, size_t padded_dim,
                          float* scores, size_t stride) {
  const FloatTag d;
  FloatVec sums[kRows * kCols];
  HWY_UNROLL(8)
  for (size_t k = 0; k < kRows * kCols; ++k) sums[k] = hn::Zero(d);
  for (size_t at = 0; at < padded_dim; at += FloatLanes()) {
    FloatVec x[kRows];
    HWY_UNROLL(2)
    for (size_t i = 0; i < kRows; ++i) x[i] = inputs.Load(i0 + i, at);
    HWY_UNROLL(4)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec y = LoadLanes(outputs[j], at);
      HWY_UNROLL(2)
      for (size_t i = 0; i < kRows; ++i) {
        sums[i * kCols + j] = hn::MulAdd(x[i], y, sums[i * kCols + j]);
      }
    }
  }
  HWY_UNROLL(2)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(4)
    for (size_t j = 0; j < kCols; ++j) {
      scores[(i0 + i) * stride + j] =
          hn::GetLane(hn::SumOfLanes(d, sums[i * kCols + j]));
    }
  }
}

template <size_t kRows, class Inputs>
HWY_INLINE void ScoreRows(const Inputs& inputs, size_t i0,
                          const OutputBlock& outputs, size_t padded_dim,
                          ScoreBlock& scores) {
  const size_t n = outputs.size;
  const size_t stride = scores.stride();
  const SharedRow* rows = outputs.rows.data();
  float* out = scores.Row(0);
  size_t j = 0;
  for (; j + kScoreCols <= n; j += kScoreCols) {
    ScoreTile<kRows, kScoreCols>(inputs, i0, rows + j, padded_dim, out + j,
                                 stride);
  }
  switch (n - j) {
    case 3:
      ScoreTile<kRows, 3>(inputs, i0, rows + j, padded_dim, out + j, stride);
      break;
    case 2:
      ScoreTile<kRows, 2>(inputs, i0, rows + j, padded_dim, out + j, stride);
      break;
    case 1:
      ScoreTile<kRows, 1>(inputs, i0, rows + j, padded_dim, out + j, stride);
      break;
    default:
      break;
  }
}

// Turns scores into steps, in place; returns the sum of the losses in nats.
// With z = +-(score - offset), positive when right, a loss is
//   -ln s(z) = max(-z, 0) + ln(1 + exp(-|z|)),
// and the logarithms of a row are taken as one, of their product: each factor
// lies in (1, 2], so 64 of them fit a float. A score that is not finite makes
// the loss so: (|z| - z) / 2 stands for max(-z, 0), which would hide a NaN.
HWY_INLINE float ScoresToSteps(size_t m, const OutputBlock& outputs,
                               float learning_rate, ScoreBlock& scores) {
  const FloatTag d;
  const FloatVec one = hn::Set(d, 1.0f);
  const FloatVec rate = hn::Set(d, learning_rate);
  FloatVec linear = hn::Zero(d);
  float logarithms = 0;
  for (size_t j = 0; j < outputs.size; j += FloatLanes()) {
    const auto real = hn::FirstN(d, outputs.size - j);
    const FloatVec label = hn::Load(d, outputs.labels() + j);
    const FloatVec offset = hn::Load(d, outputs.offsets() + j);
    FloatVec product = one;
    for (size_t i = 0; i < m; ++i) {
      float* at = scores.Row(i) + j;
      const FloatVec score = hn::Sub(hn::Load(d, at), offset);
      const FloatVec size = hn::Abs(score);
      const FloatVec e = ExpOfNumber(d, hn::Neg(size));
      const FloatVec below = hn::Div(one, hn::Add(one, e));  // s(|score|)
      const FloatVec sigmoid =
          hn::IfThenElse(hn::Ge(score, hn::Zero(d)), below, hn::Mul(e, below));
      hn::Store(hn::Mul(rate, hn::Sub(label, sigmoid)), d, at);
      // 2 * max(-z, 0): |score| - score for label 1, |score| + score for 0.
      const FloatVec sign = hn::Sub(hn::Add(label, label), one);
      linear = hn::Add(
          linear, hn::IfThenElseZero(real, hn::NegMulAdd(sign, score, size)));
      product = hn::Mul(product, hn::IfThenElse(real, hn::Add(one, e), one));
    }
    // A lane holds at most kMaxInputRows factors; together they may overflow.
    HWY_ALIGN float lanes[kMaxLanes];
    hn::Store(product, d, lanes);
    for (size_t lane = 0; lane + 1 < FloatLanes(); lane += 2) {
      logarithms += std::log(lanes[lane] * lanes[lane + 1]);
    }
    if (FloatLanes() == 1) logarithms += std::log(lanes[0]);
  }
  return 0.5f * hn::GetLane(hn::SumOfLanes(d, linear)) + logarithms;
}

// One strip (a vector's width of columns) of kCols output rows against all
// inputs of the block.
template <size_t kCols>
HWY_INLINE void UpdateStrip(size_t m, size_t at, const SharedRow* outputs,
                            const float* steps, size_t stride, const float* x,
                            float* x_steps) {
  const FloatTag d;
  const size_t lanes = FloatLanes();
  FloatVec y[kCols];
  FloatVec y_step[kCols];
  HWY_UNROLL(6)
  for (size_t j = 0; j < kCols; ++j) {
    y[j] = LoadLanes(outputs[j], at);
    y_step[j] = hn::Zero(d);
  }
  for (size_t i = 0; i < m; ++i) {
    const FloatVec input = hn::Load(d, x + i * lanes);
    FloatVec input_step = hn::Load(d, x_steps + i * lanes);
    HWY_UNROLL(6)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec step = hn::Set(d, steps[i * stride + j]);
      input_step = hn::MulAdd(step, y[j], input_step);
      y_step[j] = hn::MulAdd(step, input, y_step[j]);
    }
    hn::Store(input_step, d, x_steps + i * lanes);
  }
  HWY_UNROLL(6)
  for (size_t j = 0; j < kCols; ++j) AddToLanes(outputs[j], at, y_step[j]);
}

// The same for any number of output rows left.
HWY_INLINE void UpdateStrips(size_t m, size_t at, const OutputBlock& outputs,
                             const ScoreBlock& steps, const float* x,
                             float* x_steps) {
  const SharedRow* rows = outputs.rows.data();
  const float* step = steps.Row(0);
  const size_t stride = steps.stride();
  size_t j = 0;
  for (; j + kUpdateCols <= outputs.size; j += kUpdateCols) {
    UpdateStrip<kUpdateCols>(m, at, rows + j, step + j, stride, x, x_steps);
  }
  switch (outputs.size - j) {
    case 5:
      UpdateStrip<5>(m, at, rows + j, step + j, stride, x, x_steps);
      break;
    case 4:
      UpdateStrip<4>(m, at, rows + j, step + j, stride, x, x_steps);
      break;
    case 3:
      UpdateStrip<3>(m, at, rows + j, step + j, stride, x, x_steps);
      break;
    case 2:
      UpdateStrip<2>(m, at, rows + j, step + j, stride, x, x_steps);
      break;
    case 1:
      UpdateStrip<1>(m, at, rows + j, step + j, stride, x, x_steps);
      break;
    default:
      break;
  }
}

template <class Inputs>
HWY_INLINE void UpdateRows(const Inputs& inputs, size_t m,
                           const OutputBlock& outputs, const ScoreBlock& steps,
                           size_t padded_dim) {
  const FloatTag d;
  const size_t lanes = FloatLanes();
  HWY_ALIGN float x[kMaxInputRows * kMaxLanes];
  HWY_ALIGN float x_steps[kMaxInputRows * kMaxLanes];
  for (size_t at = 0; at < padded_dim; at += lanes) {
    for (size_t i = 0; i < m; ++i) {
      hn::Store(inputs.Load(i, at), d, x + i * lanes);
      hn::Store(hn::Zero(d), d, x_steps + i * lanes);
    }
    UpdateStrips(m, at, outputs, steps, x, x_steps);
    for (size_t i = 0; i < m; ++i) {
      inputs.AddStep(i, at, hn::Load(d, x_steps + i * lanes));
    }
  }
}

// The whole step for the first m (at most kMaxInputRows) inputs. `scores` has
// room for the block and holds the steps afterwards. Returns the sum of the
// m * n losses before the step, in nats.
template <class Inputs>
HWY_INLINE float StepWindow(const Inputs& inputs, size_t m,
                            const OutputBlock& outputs, float learning_rate,
                            size_t padded_dim, ScoreBlock& scores) {
  FIRTH_DCHECK(m <= kMaxInputRows);
  size_t i = 0;
  for (; i + kScoreRows <= m; i += kScoreRows) {
    ScoreRows<kScoreRows>(inputs, i, outputs, padded_dim, scores);
  }
  if (i < m) ScoreRows<1>(inputs, i, outputs, padded_dim, scores);
  const float loss = ScoresToSteps(m, outputs, learning_rate, scores);
  UpdateRows(inputs, m, outputs, scores, padded_dim);
  return loss;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
