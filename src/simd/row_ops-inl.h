// Sums over whole rows: gathering shared rows into private memory and giving
// steps back. Rows are padded, so there is no tail.

#include "base/shared_matrix.h"
#include "simd/targets.h"

#if defined(FIRTH_SIMD_ROW_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_ROW_OPS_INL_H_
#undef FIRTH_SIMD_ROW_OPS_INL_H_
#else
#define FIRTH_SIMD_ROW_OPS_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// to = from
HWY_INLINE void CopyRow(SharedRow from, size_t columns, float* to) {
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    hn::Store(LoadLanes(from, at), FloatTag(), to + at);
  }
}

// to += scale * from
HWY_INLINE void AddScaled(float scale, const float* from, size_t columns,
                          SharedRow to) {
  const FloatTag d;
  const FloatVec factor = hn::Set(d, scale);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    AddToLanes(to, at, hn::Mul(factor, hn::Load(d, from + at)));
  }
}

// to = scale * (sum of the `count` rows)
HWY_INLINE void ScaledSum(const SharedRow* rows, size_t count, float scale,
                          size_t columns, float* to) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < count; ++i) {
      sum = hn::Add(sum, LoadLanes(rows[i], at));
    }
    hn::Store(hn::Mul(sum, hn::Set(d, scale)), d, to + at);
  }
}

// What a worker has added to its own copy of a row goes into the shared one,
// and both go on from there: shared += own - base; own = base = shared.
HWY_INLINE void ExchangeRow(SharedRow shared, size_t columns, float* own,
                            float* base) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    AddToLanes(shared, at,
               hn::Sub(hn::Load(d, own + at), hn::Load(d, base + at)));
    const FloatVec now = LoadLanes(shared, at);
    hn::Store(now, d, own + at);
    hn::Store(now, d, base + at);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
