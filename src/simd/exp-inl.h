// The exponential of a vector of floats.

#include "simd/targets.h"

#if defined(FIRTH_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_EXP_INL_H_
#undef FIRTH_SIMD_EXP_INL_H_
#else
#define FIRTH_SIMD_EXP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Returns exp(x) for x at most 88, with a relative error below 4e-7 for x above
// -10 (2e-6 everywhere). If x is below -87 or NaN, returns exp(-87) = 1.6e-38;
// to detect a NaN, callers must check x.
//
//   exp(x) = 2^n 2^r,  n = round(x / ln 2),  r = x / ln 2 - n in [-1/2, 1/2]
//
// 2^r is a polynomial (interpolation in the Chebyshev nodes), and n is added to
// its exponent. This takes half the operations of Highway's Exp, which is
// accurate to the last bit and for subnormal results.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V BoundedExp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<int32_t, D> di;
  const V least = hn::Set(d, -87.0f);
  x = hn::IfThenElse(hn::Gt(x, least), x, least);  // Max might keep a NaN.
  const V log2_e = hn::Set(d, 1.44269504f);
  const V n = hn::Round(hn::Mul(x, log2_e));
  const V r = hn::MulSub(x, log2_e, n);
  const V r2 = hn::Mul(r, r);
  const V p01 = hn::MulAdd(r, hn::Set(d, 0.693147207f), hn::Set(d, 1.0f));
  const V p23 =
      hn::MulAdd(r, hn::Set(d, 0.0555032721f), hn::Set(d, 0.240226512f));
  const V p45 =
      hn::MulAdd(r, hn::Set(d, 0.00134004322f), hn::Set(d, 0.00961802560f));
  const V p46 = hn::MulAdd(r2, hn::Set(d, 0.000154697320f), p45);
  const V power = hn::MulAdd(r2, hn::MulAdd(r2, p46, p23), p01);
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(di, n));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, power), exponent));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
