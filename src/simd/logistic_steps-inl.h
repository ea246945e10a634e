// From the scores of a window step to its steps and losses: the second of the
// three passes of window_kernel-inl.h.

#include <cstddef>
#include <type_traits>

#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_SIMD_LOGISTIC_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_LOGISTIC_STEPS_INL_H_
#undef FIRTH_SIMD_LOGISTIC_STEPS_INL_H_
#else
#define FIRTH_SIMD_LOGISTIC_STEPS_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "simd/exp-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Scores become steps in vectors of at most 8, which hold a tile's columns.
using StepTag = hn::CappedTag<float, 8>;
using StepVec = hn::Vec<StepTag>;
constexpr size_t kStepLanes = hn::MaxLanes(StepTag());

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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
