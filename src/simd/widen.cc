#include "simd/widen.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/widen.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/load_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Number>
HWY_INLINE void Widen(const Number* HWY_RESTRICT from, float scale, size_t n,
                      float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Mul(LoadFloats(d, from + i), hn::Set(d, scale)), d, to + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    hn::StoreU(hn::Mul(LoadFloats(one, from + i), hn::Set(one, scale)), one,
               to + i);
  }
}

void WidenFloat16OfTarget(const uint16_t* from, size_t n, float* to) {
  Widen(from, 1, n, to);
}

void WidenInt8OfTarget(const int8_t* from, float scale, size_t n, float* to) {
  Widen(from, scale, n, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(WidenFloat16OfTarget);
HWY_EXPORT(WidenInt8OfTarget);

void WidenFloat16(const uint16_t* from, size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenFloat16OfTarget)(from, n, to);
}

void WidenInt8(const int8_t* from, float scale, size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenInt8OfTarget)(from, scale, n, to);
}

}  // namespace firth
#endif  // HWY_ONCE
