// Loads a vector of floats from rows of floats, of 16-bit floats or of bytes,
// so that one kernel serves all of them.

#include <cstdint>

#include "simd/targets.h"

#if defined(FIRTH_SIMD_LOAD_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_LOAD_FLOATS_INL_H_
#undef FIRTH_SIMD_LOAD_FLOATS_INL_H_
#else
#define FIRTH_SIMD_LOAD_FLOATS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* from) {
  return hn::LoadU(d, from);
}

// Loads IEEE 754 binary16 numbers, given as bits.
template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const uint16_t* from) {
  const hn::Rebind<hwy::float16_t, D> halves;
  return hn::PromoteTo(
      d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(from)));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const hwy::bfloat16_t* from) {
  const hn::Rebind<hwy::bfloat16_t, D> halves;
  return hn::PromoteTo(d, hn::LoadU(halves, from));
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const int8_t* from) {
  const hn::Rebind<int8_t, D> bytes;
  const hn::RebindToSigned<D> ints;
  return hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, from)));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
