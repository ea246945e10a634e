// The exponential of a vector of floats, for any value.

#include "simd/targets.h"

#if defined(FIRTH_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_EXP_INL_H_
#undef FIRTH_SIMD_EXP_INL_H_
#else
#define FIRTH_SIMD_EXP_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// exp(x), and 1 where x is NaN: Highway rounds its argument to an integer,
// which NaN has none of. Who must notice a NaN looks at x.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V ExpOfNumber(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Exp(d, hn::IfThenElseZero(hn::Eq(x, x), x));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
