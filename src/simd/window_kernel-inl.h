// The window step: m input rows x_i against n output rows y_j.
//
//   score_ij = x_i . y_j
//   step_ij  = learning_rate * (label_j - s(score_ij - offset_j))
//   x_i     += sum_j step_ij y_j      y_j += sum_i step_ij x_i   (old values)
//
// with s(x) = 1 / (1 + exp(-x)): one step down the gradient of the sum of the
// logistic losses -ln s(+-(score_ij - offset_j)). Negative sampling, NCE and
// hierarchical softmax are this step with different rows, labels and offsets
// (docs/architecture.md, "A training step").
//
// Idea: with one pair at a time, each row that is fetched is used once, and
// memory is the bottleneck. A window uses it m or n times, in registers. There
// are three passes, without packing or library calls:
//   scores  tiles of 2 inputs x 6 outputs: 12 accumulators, 2 inputs, an output
//           (15 of AVX2's 16 registers); their lanes are summed by transposing,
//           a tile row at once
//   steps   the scores' logistic and its loss, 8 columns at once, of two inputs
//           with AVX-512
//   update  column strips of one vector: 6 outputs and their 6 steps in
//           registers (15 of 16 with input, its step and a factor); with more
//           outputs, the inputs' steps are kept in a first-level buffer
// With 6 inputs, rows in the cache and AVX2, the step reaches 56 GFLOP/s at dim
// 100 (61% of the core's FMA peak), 66 (72%) at dim 300, and 59 (65%) with 16
// outputs at dim 100 (Zen 4 at 2.9 GHz). Scores take 30% of the time, steps
// 15%. Scores and steps in one pass were slower, because the latency of the
// logistic delays the tiles.
//
// Every row is updated by AddToLanes from its current value, so a row that
// occurs twice in the block gets both steps. What is read for the second
// occurrence may already have moved (inputs; outputs in two strips of six).
//
// The caller chooses the type of output rows, which must have LoadLanes and
// AddToLanes. A SharedRow is updated immediately; another type may store the
// step for later.

#include <algorithm>
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

#include "hwy/highway.h"
#include "simd/logistic_steps-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

constexpr size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
constexpr size_t kScoreRows = 2;
constexpr size_t kTileCols = 6;
constexpr size_t kMaxCols = 7;  // For a block that is one tile.

// Input rows that are rows of the shared input table (skip-gram).
struct SharedInputs {
  SharedRow rows[kMaxInputRows];

  template <class Strip>
  HWY_INLINE FloatVec Load(size_t i, Strip at) const {
    return LoadLanes(rows[i], at);
  }
  template <class Strip>
  HWY_INLINE void Step(size_t i, Strip at, FloatVec step) const {
    AddToLanes(rows[i], at, step);
  }
};

// Private hidden vectors (CBOW). Their steps are returned, not applied.
struct HiddenInputs {
  const float* hidden;  // [m, stride]
  float* steps;         // [m, stride], overwritten.
  size_t stride;

  HWY_INLINE FloatVec Load(size_t i, size_t at) const {
    return hn::Load(FloatTag(), hidden + i * stride + at);
  }
  HWY_INLINE void Step(size_t i, size_t at, FloatVec step) const {
    hn::Store(step, FloatTag(), steps + i * stride + at);
  }
};

// Returns small inputs as a copy, which compilers keep in registers. They would
// load the original again after each store of floats, which might change it.
HWY_INLINE HiddenInputs Local(const HiddenInputs& inputs) { return inputs; }
HWY_INLINE const SharedInputs& Local(const SharedInputs& inputs) {
  return inputs;
}

// One private hidden vector, for which the steps of a block stay in registers.
struct HiddenInput {
  const float* hidden;  // [stride]
  float* hidden_step;   // [stride], overwritten.

  HWY_INLINE FloatVec Load(size_t, size_t at) const {
    return hn::Load(FloatTag(), hidden + at);
  }
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE StepVec SumsOf(const FloatVec* v, size_t) { return v[0]; }
#else
// Computes, in each block of 128 bits, the sums of that block's lanes of v[0]
// to v[3]: 6 shuffles instead of 8 for one at a time. Elements from `count` on
// are unspecified.
HWY_INLINE FloatVec BlockSumsOf(const FloatVec* v, size_t count) {
  const FloatTag d;
  const hn::Repartition<uint64_t, FloatTag> pairs;
  // Each block has [a_0 + a_2, b_0 + b_2, a_1 + a_3, b_1 + b_3].
  const auto add_halves = [&](FloatVec a, FloatVec b) HWY_ATTR {
    return hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, a, b),
                                      hn::InterleaveUpper(d, a, b)));
  };
  const auto v01 = add_halves(v[0], v[count > 1 ? 1 : 0]);
  const auto v23 = count > 2 ? add_halves(v[2], v[count > 3 ? 3 : 2]) : v01;
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, v01, v23)),
                 hn::BitCast(d, hn::InterleaveUpper(pairs, v01, v23)));
}

// Returns the sum of the blocks of `low`, followed by that of `high`.
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

// Returns the sums of the lanes of `count` vectors, at most as many as a
// StepVec holds.
HWY_INLINE StepVec SumsOf(const FloatVec* v, size_t count) {
  const FloatVec low = BlockSumsOf(v, count);
  return AddBlocks(low, count > 4 ? BlockSumsOf(v + 4, count - 4) : low);
}
#endif

// Returns the same vector, held in a register. GCC 12 loads a vector that is
// used twice from memory twice, and the score pass would wait for its loads.
HWY_INLINE FloatVec InRegister(FloatVec v) {
#if HWY_ARCH_X86 && defined(__GNUC__) && !defined(__clang__)
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// Computes the scores of kRows inputs, from i0, and a tile of kCols output
// rows, from j0.
template <size_t kRows, size_t kCols, class Inputs, class Columns>
HWY_INLINE void ScoreTile(const Inputs& inputs, size_t i0,
                          const OutputRows& outputs, size_t j0, Columns columns,
                          StepBlock& scores) {
  const FloatTag d;
  FloatVec sums[kRows * kCols];
  HWY_UNROLL(12)
  for (size_t k = 0; k < kRows * kCols; ++k) sums[k] = hn::Zero(d);
  for (auto at = FirstStrip(columns); at < columns; at += FloatLanes()) {
    FloatVec x[kRows];
    HWY_UNROLL(2)
    for (size_t i = 0; i < kRows; ++i) x[i] = inputs.Load(i0 + i, at);
    HWY_UNROLL(6)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec row = LoadLanes(outputs.rows[j0 + j], at);
      const FloatVec y = kRows > 1 ? InRegister(row) : row;
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

template <size_t kCols, class Inputs, class Columns>
HWY_INLINE void ScoreCols(const Inputs& inputs, size_t m,
                          const OutputRows& outputs, size_t j0, Columns columns,
                          StepBlock& scores) {
  size_t i = 0;
  for (; i + kScoreRows <= m; i += kScoreRows) {
    ScoreTile<kScoreRows, kCols>(inputs, i, outputs, j0, columns, scores);
  }
  if (i < m) ScoreTile<1, kCols>(inputs, i, outputs, j0, columns, scores);
}

// Calls call(std::integral_constant<size_t, cols>()) for 1 to kMaxCols columns.
template <class Call>
HWY_INLINE void WithCols(size_t cols, const Call& call) {
  FIRTH_DCHECK(cols <= kMaxCols);
  switch (cols) {
    case 7:
      return call(std::integral_constant<size_t, 7>());
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

// Computes the scores of the outputs from number j on.
template <class Inputs, class Columns>
HWY_INLINE void ScoreRows(const Inputs& inputs, size_t m,
                          const OutputRows& outputs, size_t j, Columns columns,
                          StepBlock& scores) {
  if (outputs.size == j + kMaxCols) {  // 4 + 3 rather than 6 + 1.
    ScoreCols<4>(inputs, m, outputs, j, columns, scores);
    j += 4;
  }
  for (; j + kTileCols < outputs.size; j += kTileCols) {
    ScoreCols<kTileCols>(inputs, m, outputs, j, columns, scores);
  }
  WithCols(outputs.size - j, [&](auto cols) HWY_ATTR {
    if constexpr (cols() <= kTileCols) {
      ScoreCols<cols()>(inputs, m, outputs, j, columns, scores);
    }
  });
}

// Steps the output that belongs to one input alone, if there is one.
struct NoOwnRows {
  template <class Strip>
  HWY_INLINE FloatVec Step(size_t, Strip, FloatVec) const {
    return hn::Zero(FloatTag());
  }
};
template <class Row>
struct OwnRows {
  const Row* rows;
  const float* steps;  // steps[i * stride]
  size_t stride;

  // Steps the row of input i, whose values are x. Returns the step of x.
  template <class Strip>
  HWY_INLINE FloatVec Step(size_t i, Strip at, FloatVec x) const {
    const FloatVec step = hn::Set(FloatTag(), steps[i * stride]);
    const FloatVec x_step = hn::Mul(step, LoadLanes(rows[i], at));
    AddToLanes(rows[i], at, hn::Mul(step, x));
    return x_step;
  }
};

// Updates one strip (a vector's width of columns) of kCols output rows and all
// inputs of the block. An input's step is a sum over its own row, if any, and
// all tiles of the strip. It is kept in `x_steps` between the first and the
// last tile.
template <size_t kCols, bool kFirst, bool kLast, class Inputs, class Own,
          class Strip, class Row>
HWY_INLINE void UpdateStrip(const Inputs& inputs, size_t m, const Own& own,
                            Strip at, const Row* outputs, const float* steps,
                            size_t stride, float* x_steps) {
  const FloatTag d;
  FloatVec y[kCols];
  FloatVec y_step[kCols];
  HWY_UNROLL(7)
  for (size_t j = 0; j < kCols; ++j) {
    y[j] = LoadLanes(outputs[j], at);
    y_step[j] = hn::Zero(d);
  }
  for (size_t i = 0; i < m; ++i) {
    const FloatVec x = inputs.Load(i, at);
    FloatVec x_step =
        kFirst ? own.Step(i, at, x) : hn::Load(d, x_steps + i * FloatLanes());
    HWY_UNROLL(7)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec step = hn::Set(d, steps[i * stride + j]);
      x_step = hn::MulAdd(step, y[j], x_step);
      y_step[j] = hn::MulAdd(step, x, y_step[j]);
    }
    if (kLast) {
      inputs.Step(i, at, x_step);
    } else {
      hn::Store(x_step, d, x_steps + i * FloatLanes());
    }
  }
  HWY_UNROLL(7)
  for (size_t j = 0; j < kCols; ++j) AddToLanes(outputs[j], at, y_step[j]);
}

// Updates all rows. `step` are the steps of n outputs, [m, stride]. Prefetches
// the cache lines of the `wanted` rows strip by strip: all at once, they would
// fill the queue of misses and delay the following loads.
template <class Inputs, class Own, class Row, class Columns>
HWY_INLINE void UpdateRows(const Inputs& inputs, size_t m, const Own& own,
                           const Row* outputs, size_t n, const float* step,
                           size_t stride, absl::Span<const SharedRow> wanted,
                           Columns columns) {
  if (n <= kMaxCols) {
    WithCols(n, [&](auto cols) HWY_ATTR {
      const auto& local = Local(inputs);
      const Own local_own = own;
      for (auto at = FirstStrip(columns); at < columns; at += FloatLanes()) {
        PrefetchColumns(wanted, at);
        UpdateStrip<cols(), true, true>(local, m, local_own, at, outputs, step,
                                        stride, nullptr);
      }
    });
    return;
  }
  HWY_ALIGN float x_steps[kMaxInputRows * kMaxLanes];
  const size_t last = (n - 1) / kTileCols * kTileCols;
  WithCols(n - last, [&](auto cols) HWY_ATTR {
    for (auto at = FirstStrip(columns); at < columns; at += FloatLanes()) {
      PrefetchColumns(wanted, at);
      UpdateStrip<kTileCols, true, false>(inputs, m, own, at, outputs, step,
                                          stride, x_steps);
      for (size_t j = kTileCols; j < last; j += kTileCols) {
        UpdateStrip<kTileCols, false, false>(inputs, m, own, at, outputs + j,
                                             step + j, stride, x_steps);
      }
      UpdateStrip<cols(), false, true>(inputs, m, own, at, outputs + last,
                                       step + last, stride, x_steps);
    }
  });
}

// Updates one hidden vector and a tile of kCols output rows; the steps stay in
// registers. If kFirst is true, hidden_step begins with this tile. The last
// bits of a model depend on whether a compiler fuses a product with the sum
// that it is added to. GCC used to fuse all except those of wide tiles after
// the first, and models must not change.
template <size_t kCols, bool kFirst, class Row>
HWY_INLINE void UpdateHidden(const HiddenInput& input, const Row* outputs,
                             const float* steps,
                             absl::Span<const SharedRow> wanted,
                             size_t columns) {
  constexpr bool kFused = kFirst || kCols < 5;
  const FloatTag d;
  // Kept in registers, because a store might change `outputs`.
  Row rows[kCols];
  FloatVec step[kCols];
  HWY_UNROLL(7)
  for (size_t j = 0; j < kCols; ++j) {
    rows[j] = outputs[j];
    step[j] = hn::Set(d, steps[j]);
  }
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    PrefetchColumns(wanted, at);
    const FloatVec x = input.Load(0, at);
    FloatVec x_step =
        kFirst ? hn::Zero(d) : hn::Load(d, input.hidden_step + at);
    HWY_UNROLL(7)
    for (size_t j = 0; j < kCols; ++j) {
      x_step = hn::MulAdd(step[j], LoadLanes(rows[j], at), x_step);
    }
    HWY_UNROLL(7)
    for (size_t j = 0; j < kCols; ++j) {
      const FloatVec y_step = hn::Mul(step[j], x);
      AddToLanes(rows[j], at, kFused ? y_step : InRegister(y_step));
    }
    hn::Store(x_step, d, input.hidden_step + at);
  }
}

template <class Row>
HWY_INLINE void UpdateRows(const HiddenInput& input, size_t, const NoOwnRows&,
                           const Row* outputs, size_t n, const float* step,
                           size_t, absl::Span<const SharedRow> wanted,
                           size_t columns) {
  WithCols(std::min(n, kTileCols), [&](auto cols) HWY_ATTR {
    UpdateHidden<cols(), true>(input, outputs, step, wanted, columns);
  });
  for (size_t j = kTileCols; j < n; j += kTileCols) {
    WithCols(std::min(n - j, kTileCols), [&](auto cols) HWY_ATTR {
      UpdateHidden<cols(), false>(input, outputs + j, step + j, {}, columns);
    });
  }
}

// Makes the whole step for the first m (at most kMaxInputRows) inputs. Adds the
// m * n losses before the step, with their weights. rows: those of the block,
// [n]. columns: VisitedColumns() or UnpaddedColumns. wanted: rows with the same
// columns that will be stepped soon.
template <class Inputs, class Row, class Weights, class Columns>
HWY_INLINE void ScoreAndUpdate(const Inputs& inputs, size_t m, const Row* rows,
                               const OutputBlock& outputs,
                               const Weights& weights, float learning_rate,
                               Columns columns,
                               absl::Span<const SharedRow> wanted,
                               StepBlock& steps, LossSum& losses) {
  FIRTH_DCHECK(m <= kMaxInputRows);
  if (outputs.size == 0) return;
  ScoreRows(inputs, m, outputs.From(0), 0, columns, steps);
  ScoresToSteps(m, outputs.From(0), weights, learning_rate, steps, losses);
  UpdateRows(inputs, m, NoOwnRows(), rows, outputs.size, steps.Row(0),
             steps.stride(), wanted, columns);
}

// Makes the step of a window. It takes long enough to be called; inlining it
// into the loop of every objective slowed down compilers and made nothing
// faster.
template <class Inputs, class Row, class Weights>
HWY_NOINLINE void StepWindow(const Inputs& inputs, size_t m, const Row* rows,
                             const OutputBlock& outputs, const Weights& weights,
                             float learning_rate, size_t columns,
                             absl::Span<const SharedRow> wanted,
                             StepBlock& steps, LossSum& losses) {
  ScoreAndUpdate(inputs, m, rows, outputs, weights, learning_rate, columns,
                 wanted, steps, losses);
}

// Makes the step of a hidden vector. Inlining makes it an eighth faster.
template <class Row>
HWY_INLINE void StepHiddenVector(const HiddenInput& input, const Row* rows,
                                 const OutputBlock& outputs,
                                 float learning_rate, size_t columns,
                                 absl::Span<const SharedRow> wanted,
                                 StepBlock& steps, LossSum& losses) {
  ScoreAndUpdate(input, 1, rows, outputs, EqualWeights(), learning_rate,
                 columns, wanted, steps, losses);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
