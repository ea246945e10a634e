#include "simd/query_batch.h"

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/query_batch.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The kernel of DotPanel() uses twelve accumulators: on AVX2, six rows by two
// vectors of eight queries. Each step over dim loads two vectors of the panel
// and broadcasts six values. These are eight loads for twelve multiply-adds, so
// loads are not the bottleneck, and there are no sums over lanes.

using FloatLanes = hn::CappedTag<float, kPanelQueries>;
constexpr size_t kLanes = hn::MaxLanes(FloatLanes());
constexpr size_t kVectors = kPanelQueries / kLanes;
constexpr size_t kBlockRows = kVectors > 12 ? 1 : 12 / kVectors;

// Computes the scores of kRows rows. Sets bit r of the result if row r has a
// hit.
template <size_t kRows, bool kRowThresholds>
HWY_INLINE uint32_t RowsTimesPanel(const float* HWY_RESTRICT panel,
                                   const float* HWY_RESTRICT rows,
                                   size_t stride, size_t dim,
                                   const float* scales, const float* penalties,
                                   const float* thresholds,
                                   const float* row_thresholds,
                                   float* HWY_RESTRICT scores) {
  const FloatLanes d;
  hn::Vec<FloatLanes> sums[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (size_t i = 0; i < dim; ++i) {
    hn::Vec<FloatLanes> queries[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      queries[v] = hn::Load(d, panel + i * kPanelQueries + v * kLanes);
    }
    for (size_t r = 0; r < kRows; ++r) {
      const auto value = hn::Set(d, rows[r * stride + i]);
      for (size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(value, queries[v], sums[r][v]);
      }
    }
  }
  uint32_t hits = 0;
  for (size_t r = 0; r < kRows; ++r) {
    if (HWY_UNLIKELY(scales[r] == 0)) {
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
    }
    const auto scale = hn::Set(d, scales[r]);
    const auto penalty = hn::Set(d, penalties[r]);
    auto hit = hn::MaskFromVec(hn::Zero(d));
    for (size_t v = 0; v < kVectors; ++v) {
      const auto score = hn::MulSub(sums[r][v], scale, penalty);
      hn::Store(score, d, scores + r * kPanelQueries + v * kLanes);
      auto threshold = hn::Load(d, thresholds + v * kLanes);
      if constexpr (kRowThresholds) {
        threshold = hn::Min(threshold, hn::Set(d, row_thresholds[r]));
      }
      hit = hn::Or(hit, hn::Ge(score, threshold));
    }
    hits |= static_cast<uint32_t>(!hn::AllFalse(d, hit)) << r;
  }
  return hits;
}

template <bool kRowThresholds>
size_t DotPanelIn(const float* panel, const float* rows, size_t num_rows,
                  size_t stride, size_t dim, const float* scales,
                  const float* penalties, const float* thresholds,
                  const float* row_thresholds, float* scores, uint32_t* hits) {
  size_t num_hits = 0;
  size_t row = 0;
  const auto thresholds_of = [&](size_t at) {
    return kRowThresholds ? row_thresholds + at : nullptr;
  };
  const auto keep_hits = [&](uint32_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      hits[num_hits++] = static_cast<uint32_t>(row) +
                         static_cast<uint32_t>(__builtin_ctz(bits));
    }
  };
  for (; row + kBlockRows <= num_rows; row += kBlockRows) {
    keep_hits(RowsTimesPanel<kBlockRows, kRowThresholds>(
        panel, rows + row * stride, stride, dim, scales + row, penalties + row,
        thresholds, thresholds_of(row), scores + row * kPanelQueries));
  }
  for (; row < num_rows; ++row) {
    keep_hits(RowsTimesPanel<1, kRowThresholds>(
        panel, rows + row * stride, stride, dim, scales + row, penalties + row,
        thresholds, thresholds_of(row), scores + row * kPanelQueries));
  }
  return num_hits;
}

size_t DotPanelOfTarget(const float* panel, const float* rows, size_t num_rows,
                        size_t stride, size_t dim, const float* scales,
                        const float* penalties, const float* thresholds,
                        const float* row_thresholds, float* scores,
                        uint32_t* hits) {
  const auto dot_panel =
      row_thresholds == nullptr ? DotPanelIn<false> : DotPanelIn<true>;
  return dot_panel(panel, rows, num_rows, stride, dim, scales, penalties,
                   thresholds, row_thresholds, scores, hits);
}

// Finding a better score takes two passes. The first computes the maximum
// without its position. The second finds the position, but only in the rare
// case that the maximum beats the best score so far.

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

HWY_EXPORT(DotPanelOfTarget);

size_t DotPanel(const float* panel, const float* rows, size_t num_rows,
                size_t stride, size_t dim, const float* scales,
                const float* penalties, const float* thresholds,
                const float* row_thresholds, float* scores, uint32_t* hits) {
  return HWY_DYNAMIC_DISPATCH(DotPanelOfTarget)(
      panel, rows, num_rows, stride, dim, scales, penalties, thresholds,
      row_thresholds, scores, hits);
}

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
