// Elementwise formulas that are written once: for vectors of floats, which
// work, and for doubles, in which gradients are checked.
//
// A formula is a template on a number type V, which is Lanes<D> or double. Both
// have + - * / and the functions below. ForEachLanes() runs one over arrays.

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "simd/targets.h"

#if defined(FIRTH_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_LANES_INL_H_
#undef FIRTH_SIMD_LANES_INL_H_
#else
#define FIRTH_SIMD_LANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes of a vector as one number.
template <class D>
struct Lanes {
  using Vec = hn::Vec<D>;

  // Trivial: a constructor made by the compiler has no target attribute, and
  // could not call one that has.
  Lanes() = default;
  HWY_INLINE explicit Lanes(Vec vec) : v(vec) {}
  // All lanes the same: constants stand in formulas as they are.
  // NOLINTNEXTLINE(google-explicit-constructor)
  HWY_INLINE Lanes(float value) : v(hn::Set(D(), value)) {}

  Vec v;
};

// Not friends in the class: a friend that a template makes has no target
// attribute, and would pass vectors in memory where its callers use registers.
template <class D>
HWY_INLINE Lanes<D> operator+(Lanes<D> a, Lanes<D> b) {
  return Lanes<D>(hn::Add(a.v, b.v));
}
template <class D>
HWY_INLINE Lanes<D> operator-(Lanes<D> a, Lanes<D> b) {
  return Lanes<D>(hn::Sub(a.v, b.v));
}
template <class D>
HWY_INLINE Lanes<D> operator*(Lanes<D> a, Lanes<D> b) {
  return Lanes<D>(hn::Mul(a.v, b.v));
}
template <class D>
HWY_INLINE Lanes<D> operator/(Lanes<D> a, Lanes<D> b) {
  return Lanes<D>(hn::Div(a.v, b.v));
}

// 2^r - 1 for r in [-1/2, 1/2]: the polynomial of BoundedExp() (exp-inl.h)
// without its 1, so that the error is relative to the small result.
template <class D, class Vec = hn::Vec<D>>
HWY_INLINE Vec ExpFraction(D d, Vec r) {
  const Vec r2 = hn::Mul(r, r);
  const Vec p12 =
      hn::MulAdd(r, hn::Set(d, 0.240226512f), hn::Set(d, 0.693147207f));
  const Vec p34 =
      hn::MulAdd(r, hn::Set(d, 0.00961802560f), hn::Set(d, 0.0555032721f));
  const Vec p56 =
      hn::MulAdd(r, hn::Set(d, 0.000154697320f), hn::Set(d, 0.00134004322f));
  return hn::Mul(r, hn::MulAdd(r2, hn::MulAdd(r2, p56, p34), p12));
}

// exp(x) = power + power * fraction, with power = 2^n, n whole.
template <class D>
struct SplitExp {
  hn::Vec<D> power;
  hn::Vec<D> fraction;
};

// For |x| <= 87. A NaN stays one, as everywhere below: a training run that
// blows up must be seen.
template <class D, class Vec = hn::Vec<D>>
HWY_INLINE SplitExp<D> SplitExponential(D d, Vec x) {
  const hn::Rebind<int32_t, D> di;
  const Vec log2_e = hn::Set(d, 1.44269504f);
  const Vec n = hn::Round(hn::Mul(x, log2_e));
  const Vec r = hn::MulSub(x, log2_e, n);
  // No integer is a NaN: one goes through the fraction.
  const Vec whole = hn::IfThenElseZero(hn::Eq(n, n), n);
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(di, whole));
  const Vec power =
      hn::BitCast(d, hn::Add(hn::BitCast(di, hn::Set(d, 1.0f)), exponent));
  return {power, ExpFraction(d, r)};
}

// exp(x), x clamped to [-87, 87]. Relative error below 4e-7 for |x| below 10,
// 4e-6 everywhere.
template <class D>
HWY_INLINE Lanes<D> Exp(Lanes<D> x) {
  const D d;
  const auto most = hn::Set(d, 87.0f);
  const auto least = hn::Set(d, -87.0f);
  auto clamped = hn::IfThenElse(hn::Gt(x.v, most), most, x.v);
  clamped = hn::IfThenElse(hn::Lt(clamped, least), least, clamped);
  const SplitExp<D> e = SplitExponential(d, clamped);
  return Lanes<D>(hn::MulAdd(e.power, e.fraction, e.power));
}
HWY_INLINE double Exp(double x) { return std::exp(x); }

// 1 / (1 + exp(-x))
template <class V>
HWY_INLINE V Sigmoid(V x) {
  return V(1) / (V(1) + Exp(V(0) - x));
}

// With e = exp(-2|x|) - 1, tanh |x| = -e / (e + 2): no difference of nearly
// equal numbers, so the relative error stays below 6e-7 around 0 too.
template <class D>
HWY_INLINE Lanes<D> Tanh(Lanes<D> x) {
  const D d;
  const auto least = hn::Set(d, -30.0f);
  auto below = hn::Mul(hn::Set(d, -2.0f), hn::Abs(x.v));
  below = hn::IfThenElse(hn::Lt(below, least), least, below);
  const SplitExp<D> e = SplitExponential(d, below);
  const auto minus_1 =
      hn::MulAdd(e.power, e.fraction, hn::Sub(e.power, hn::Set(d, 1.0f)));
  const auto tanh =
      hn::Div(hn::Neg(minus_1), hn::Add(minus_1, hn::Set(d, 2.0f)));
  return Lanes<D>(hn::CopySignToAbs(tanh, x.v));
}
HWY_INLINE double Tanh(double x) { return std::tanh(x); }

// P(z < x) for a normal z, given bell = exp(-x^2 / 2): formula 7.1.26 of
// Abramowitz and Stegun, "Handbook of mathematical functions", 1964, with an
// error below 1.5e-7.
template <class D>
HWY_INLINE Lanes<D> NormalShare(Lanes<D> x, Lanes<D> bell) {
  using V = Lanes<D>;
  const V size(hn::Abs(x.v));
  const V t = V(1) / (V(1) + V(0.3275911f * 0.70710678f) * size);
  const V tail = V(0.5f) * bell * t *
                 (V(0.254829592f) +
                  t * (V(-0.284496736f) +
                       t * (V(1.421413741f) +
                            t * (V(-1.453152027f) + t * V(1.061405429f)))));
  const V above = V(1) - tail;
  return V(hn::IfThenElse(hn::Lt(x.v, hn::Zero(D())), tail.v, above.v));
}
HWY_INLINE double NormalShare(double x, double /*bell*/) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}

template <class D>
HWY_INLINE Lanes<D> Sqrt(Lanes<D> x) {
  return Lanes<D>(hn::Sqrt(x.v));
}
HWY_INLINE double Sqrt(double x) { return std::sqrt(x); }

// `value` where |x| < limit, else 0: what a clipped or rectified number's
// gradient is.
template <class D>
HWY_INLINE Lanes<D> WhereInside(Lanes<D> x, Lanes<D> limit, Lanes<D> value) {
  return Lanes<D>(hn::IfThenElseZero(hn::Lt(hn::Abs(x.v), limit.v), value.v));
}
HWY_INLINE double WhereInside(double x, double limit, double value) {
  return std::abs(x) < limit ? value : 0;
}

// x moved into [-limit, limit].
template <class D>
HWY_INLINE Lanes<D> Clip(Lanes<D> x, Lanes<D> limit) {
  const auto least = hn::Neg(limit.v);
  const auto low = hn::IfThenElse(hn::Lt(x.v, least), least, x.v);
  return Lanes<D>(hn::IfThenElse(hn::Gt(low, limit.v), limit.v, low));
}
HWY_INLINE double Clip(double x, double limit) {
  return x < -limit ? -limit : x > limit ? limit : x;
}

// x where x > 0, else 0; and `value` where x > 0, else 0.
template <class D>
HWY_INLINE Lanes<D> WherePositive(Lanes<D> x, Lanes<D> value) {
  return Lanes<D>(hn::IfThenZeroElse(hn::Le(x.v, hn::Zero(D())), value.v));
}
HWY_INLINE double WherePositive(double x, double value) {
  return x <= 0 ? 0 : value;
}

// How ForEachLanes() hands memory out.
template <class D>
struct VectorAccess {
  using Value = Lanes<D>;
  static HWY_INLINE Value Load(const float* from) {
    return Value(hn::LoadU(D(), from));
  }
  static HWY_INLINE void Store(Value value, float* to) {
    hn::StoreU(value.v, D(), to);
  }
  static HWY_INLINE float Sum(Value value) {
    return hn::GetLane(hn::SumOfLanes(D(), value.v));
  }
};
struct DoubleAccess {
  using Value = double;
  static HWY_INLINE double Load(const double* from) { return *from; }
  static HWY_INLINE void Store(double value, double* to) { *to = value; }
  static HWY_INLINE double Sum(double value) { return value; }
};

// Calls body(access, at) so that every place below `count` is covered once, by
// whole vectors and then one by one. T: float or double.
template <class T, class Body>
HWY_INLINE void ForEachLanes(size_t count, const Body& body) {
  size_t at = 0;
  if constexpr (std::is_same_v<T, float>) {
    using Whole = hn::ScalableTag<float>;
    const size_t lanes = hn::Lanes(Whole());
    for (; at + lanes <= count; at += lanes) body(VectorAccess<Whole>(), at);
    for (; at < count; ++at) {
      body(VectorAccess<hn::CappedTag<float, 1>>(), at);
    }
  } else {
    for (; at < count; ++at) body(DoubleAccess(), at);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
