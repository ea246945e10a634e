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

// Returns small inputs as a copy, which compilers keep in registers: a store
// of floats might change an object in memory.
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

// Scores become steps in vectors of at most 8, which hold a tile's columns.
using StepTag = hn::CappedTag<float, 8>;
using StepVec = hn::Vec<StepTag>;
constexpr size_t kStepLanes = hn::MaxLanes(StepTag());

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

// A sum of losses. With z = +-(score - offset), positive if the prediction is
// right, a loss in nats is
//   -ln s(z) = max(-z, 0) + ln(1 + exp(-|z|)).
// Many logarithms are computed as one, of their product. Each factor is in (1,
// 2], so kMostFactors of them fit a float. A score that is not finite makes the
// sum not finite: (|z| - z) / 2 replaces max(-z, 0), which would hide a NaN.
class LossSum {
 public:
  HWY_INLINE LossSum()
      : twice_linear_(hn::Zero(StepTag())),
        product_(hn::Set(StepTag(), 1.0f)) {}

  // Must be called before adding `count` losses per lane, at most kMostSharing
  // * kMaxInputRows.
  HWY_INLINE void MakeRoom(size_t count) {
    if (factors_ + count > kMostFactors) Fold();
    factors_ += count;
  }
  HWY_INLINE void Add(StepVec twice_linear, StepVec product) {
    twice_linear_ = hn::Add(twice_linear_, twice_linear);
    product_ = hn::Mul(product_, product);
  }

  // Returns the sum of the losses since the last call.
  HWY_INLINE double Take() {
    Fold();
    const double total = total_;
    total_ = 0;
    return total;
  }

 private:
  static constexpr size_t kMostFactors = 120;

  HWY_NOINLINE void Fold() {
    const StepTag d;
    const StepVec losses =
        hn::MulAdd(hn::Set(d, 0.5f), twice_linear_, hn::Log(d, product_));
    total_ += hn::GetLane(hn::SumOfLanes(d, losses));
    twice_linear_ = hn::Zero(d);
    product_ = hn::Set(d, 1.0f);
    factors_ = 0;
  }

  double total_ = 0;
  size_t factors_ = 0;  // Number of factors in each lane of product_.
  StepVec twice_linear_;
  StepVec product_;
};

// The weight of each pair of an input and an output. In a single window, each
// pair counts once.
struct EqualWeights {
  static constexpr size_t most = 1;
};

// Weights from 0 to the number of windows that have rows in common.
struct PairWeights {
  size_t most = 2;  // The number of windows, at most kMostSharing.
  // of[i][j], readable in steps of 8 like labels.
  const float* of[kMaxInputRows];
};

// Access to scores for LogisticSteps, for one input at a time.
struct OneInput {
  using Tag = StepTag;
  static constexpr size_t kCount = 1;

  static HWY_INLINE StepVec Load(const float* from, const float*) {
    return hn::LoadU(Tag(), from);
  }
  static HWY_INLINE void Store(StepVec v, float* to, float*) {
    hn::StoreU(v, Tag(), to);
  }
  static HWY_INLINE StepVec Sum(StepVec v) { return v; }
  static HWY_INLINE StepVec Product(StepVec v) { return v; }
};

#if HWY_MAX_BYTES == 64
// Two inputs at a time, side by side in one vector. With AVX-512, a vector with
// the scores of one input is half empty, and takes as long as a full one.
struct TwoInputs {
  using Tag = FloatTag;
  static constexpr size_t kCount = 2;

  static HWY_INLINE FloatVec Load(const float* low, const float* high) {
    return hn::Combine(Tag(), hn::LoadU(StepTag(), high),
                       hn::LoadU(StepTag(), low));
  }
  static HWY_INLINE void Store(FloatVec v, float* low, float* high) {
    hn::StoreU(hn::LowerHalf(StepTag(), v), StepTag(), low);
    hn::StoreU(hn::UpperHalf(StepTag(), v), StepTag(), high);
  }
  static HWY_INLINE StepVec Sum(FloatVec v) {
    return hn::Add(hn::LowerHalf(StepTag(), v), hn::UpperHalf(StepTag(), v));
  }
  static HWY_INLINE StepVec Product(FloatVec v) {
    return hn::Mul(hn::LowerHalf(StepTag(), v), hn::UpperHalf(StepTag(), v));
  }
};
#endif

// Replaces scores by steps in the columns [j, j + kStepLanes) of a block, and
// sums their losses. Inputs is OneInput or TwoInputs.
template <class Inputs, class Weights>
class LogisticSteps {
  using D = typename Inputs::Tag;
  using Vec = hn::Vec<D>;

 public:
  HWY_INLINE LogisticSteps(const OutputRows& outputs, size_t j, float rate)
      : j_(j),
        label_(Repeated(outputs.labels + j)),
        offset_(Repeated(outputs.offsets + j)),
        sign_(hn::Sub(hn::Add(label_, label_), hn::Set(D(), 1.0f))),
        rate_(hn::Set(D(), rate)),
        twice_linear_(hn::Zero(D())),
        product_(hn::Set(D(), 1.0f)) {}

  // Processes the Inputs::kCount inputs that begin with number i.
  HWY_INLINE void Step(const Weights& weights, size_t i, StepBlock& scores) {
    const D d;
    const size_t last = i + Inputs::kCount - 1;
    float* const at = scores.Row(i) + j_;
    float* const at_last = scores.Row(last) + j_;
    const Vec zero = hn::Zero(d);
    const Vec one = hn::Set(d, 1.0f);
    const Vec score = hn::Sub(Inputs::Load(at, at_last), offset_);
    const Vec size = hn::Abs(score);
    const Vec e = BoundedExp(d, hn::Neg(size));
    const Vec factor = hn::Add(one, e);
    const Vec below = hn::Div(one, factor);  // s(|score|)
    const Vec sigmoid =
        hn::IfThenElse(hn::Ge(score, zero), below, hn::Mul(e, below));
    Vec step = hn::Mul(rate_, hn::Sub(label_, sigmoid));
    // |score| - score for label 1, |score| + score for 0.
    const Vec twice = hn::NegMulAdd(sign_, score, size);
    if constexpr (std::is_same_v<Weights, EqualWeights>) {
      twice_linear_ = hn::Add(twice_linear_, twice);
      product_ = hn::Mul(product_, factor);
    } else {
      const Vec weight =
          Inputs::Load(weights.of[i] + j_, weights.of[last] + j_);
      step = hn::Mul(step, weight);
      twice_linear_ = hn::MulAdd(weight, twice, twice_linear_);
      product_ =
          hn::Mul(product_, hn::IfThenElse(hn::Gt(weight, zero), factor, one));
      product_ =
          hn::Mul(product_, hn::IfThenElse(hn::Gt(weight, one), factor, one));
      for (size_t count = 2; count < weights.most; ++count) {
        const Vec less = hn::Set(d, static_cast<float>(count));
        product_ = hn::Mul(product_,
                           hn::IfThenElse(hn::Gt(weight, less), factor, one));
      }
    }
    Inputs::Store(step, at, at_last);
  }

  HWY_INLINE StepVec twice_linear() const { return Inputs::Sum(twice_linear_); }
  HWY_INLINE StepVec product() const { return Inputs::Product(product_); }

 private:
  static HWY_INLINE Vec Repeated(const float* from) {
    return Inputs::Load(from, from);
  }

  const size_t j_;
  const Vec label_;
  const Vec offset_;
  const Vec sign_;
  const Vec rate_;
  Vec twice_linear_;
  Vec product_;
};

// Replaces scores by steps, and sums their losses.
template <class Weights>
HWY_INLINE void ScoresToSteps(size_t m, const OutputRows& outputs,
                              const Weights& weights, float learning_rate,
                              StepBlock& scores, LossSum& losses) {
  const StepTag d;
  for (size_t j = 0; j < outputs.size; j += kStepLanes) {
    LogisticSteps<OneInput, Weights> one(outputs, j, learning_rate);
    StepVec twice_linear = hn::Zero(d);
    StepVec product = hn::Set(d, 1.0f);
    size_t i = 0;
#if HWY_MAX_BYTES == 64
    LogisticSteps<TwoInputs, Weights> two(outputs, j, learning_rate);
    for (; i + 2 <= m; i += 2) two.Step(weights, i, scores);
    twice_linear = two.twice_linear();
    product = two.product();
#endif
    for (; i < m; ++i) one.Step(weights, i, scores);
    twice_linear = hn::Add(twice_linear, one.twice_linear());
    product = hn::Mul(product, one.product());
    const auto real = hn::FirstN(d, outputs.size - j);
    losses.MakeRoom(m * weights.most);
    losses.Add(hn::IfThenElseZero(real, twice_linear),
               hn::IfThenElse(real, product, hn::Set(d, 1.0f)));
  }
}

// The outputs that belong to one input each, if inputs have such.
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
// inputs of the block. An input's step is a sum over all tiles of the strip. It
// is kept in `x_steps` between the first and the last tile. It begins with its
// own row.
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
