// There are two passes. The first computes the maximum without its position.
// The second finds the position, but only in the rare case that the maximum
// beats the best score so far.

#include "simd/best_score.h"

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/best_score.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One vector of scores, from position i on. Both passes compute the same bits.
struct SumScore {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* a, const float* b,
                                   const float* c, size_t i) const {
    return hn::Add(hn::Sub(hn::LoadU(d, b + i), hn::LoadU(d, a + i)),
                   hn::LoadU(d, c + i));
  }
};

struct QuotientScore {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* a, const float* b,
                                   const float* c, size_t i) const {
    return hn::Div(hn::Mul(hn::LoadU(d, b + i), hn::LoadU(d, c + i)),
                   hn::Add(hn::LoadU(d, a + i), hn::Set(d, 0.001f)));
  }
};

// Requires n >= Lanes(d). The last vector may overlap the one before, which
// does not change the maximum.
template <class D, class Score>
HWY_INLINE float GreatestScore(D d, const Score& score, const float* a,
                               const float* b, const float* c, size_t n) {
  const size_t lanes = hn::Lanes(d);
  auto greatest = score(d, a, b, c, n - lanes);
  auto greatest2 = greatest;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    greatest = hn::Max(greatest, score(d, a, b, c, i));
    greatest2 = hn::Max(greatest2, score(d, a, b, c, i + lanes));
  }
  if (i + lanes <= n) greatest = hn::Max(greatest, score(d, a, b, c, i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(greatest, greatest2)));
}

// Returns the first position with this score, which must exist.
template <class D, class Score>
HWY_INLINE size_t FindScore(D d, const Score& score, const float* a,
                            const float* b, const float* c, size_t n,
                            float sought) {
  const size_t lanes = hn::Lanes(d);
  const auto value = hn::Set(d, sought);
  for (size_t i = 0;;) {
    const auto found =
        hn::FindFirstTrue(d, hn::Eq(score(d, a, b, c, i), value));
    if (found >= 0) return i + static_cast<size_t>(found);
    FIRTH_CHECK(i + lanes < n);
    i = i + 2 * lanes <= n ? i + lanes : n - lanes;
  }
}

template <class D, class Score>
HWY_INLINE bool FindBetter(D d, const Score& score, const float* a,
                           const float* b, const float* c, size_t n,
                           float* best, size_t* best_pos) {
  const float greatest = GreatestScore(d, score, a, b, c, n);
  if (!(greatest > *best)) return false;
  *best = greatest;
  *best_pos = FindScore(d, score, a, b, c, n, greatest);
  return true;
}

template <class Score>
HWY_INLINE bool FindBetterBy(const Score& score, const float* a, const float* b,
                             const float* c, size_t n, float* best,
                             size_t* best_pos) {
  const hn::ScalableTag<float> d;
  if (n >= hn::Lanes(d)) {
    return FindBetter(d, score, a, b, c, n, best, best_pos);
  }
  const hn::CappedTag<float, 1> one;
  return n > 0 && FindBetter(one, score, a, b, c, n, best, best_pos);
}

bool FindBetterSumOfTarget(const float* a, const float* b, const float* c,
                           size_t n, float* best, size_t* best_pos) {
  return FindBetterBy(SumScore(), a, b, c, n, best, best_pos);
}

bool FindBetterQuotientOfTarget(const float* a, const float* b, const float* c,
                                size_t n, float* best, size_t* best_pos) {
  return FindBetterBy(QuotientScore(), a, b, c, n, best, best_pos);
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(FindBetterSumOfTarget);
HWY_EXPORT(FindBetterQuotientOfTarget);

bool FindBetterSum(const float* a, const float* b, const float* c, size_t n,
                   float* best, size_t* best_pos) {
  return HWY_DYNAMIC_DISPATCH(FindBetterSumOfTarget)(a, b, c, n, best,
                                                     best_pos);
}

bool FindBetterQuotient(const float* a, const float* b, const float* c,
                        size_t n, float* best, size_t* best_pos) {
  return HWY_DYNAMIC_DISPATCH(FindBetterQuotientOfTarget)(a, b, c, n, best,
                                                          best_pos);
}

}  // namespace firth
#endif  // HWY_ONCE
