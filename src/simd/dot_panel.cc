// Twelve accumulators: on AVX2, six rows by two vectors of eight queries. Each
// step over dim loads two vectors of the panel and broadcasts six values, eight
// loads for twelve multiply-adds: the loads do not hold them up, and there are
// no sums over lanes.

#include "simd/dot_panel.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dot_panel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatLanes = hn::CappedTag<float, kPanelQueries>;
constexpr size_t kLanes = hn::MaxLanes(FloatLanes());
constexpr size_t kVectors = kPanelQueries / kLanes;
constexpr size_t kBlockRows = kVectors > 12 ? 1 : 12 / kVectors;

// Scores of kRows rows. Sets bit r of the result if row r has a hit.
template <size_t kRows>
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
    const auto scale = hn::Set(d, scales[r]);
    const auto penalty = hn::Set(d, penalties[r]);
    const auto row_threshold = hn::Set(d, row_thresholds[r]);
    for (size_t v = 0; v < kVectors; ++v) {
      const auto cosine = hn::IfThenZeroElse(hn::Eq(scale, hn::Zero(d)),
                                             hn::Mul(sums[r][v], scale));
      const auto score = hn::Sub(cosine, penalty);
      hn::Store(score, d, scores + r * kPanelQueries + v * kLanes);
      const auto threshold =
          hn::Min(hn::Load(d, thresholds + v * kLanes), row_threshold);
      const bool hit = !hn::AllFalse(d, hn::Ge(score, threshold));
      hits |= static_cast<uint32_t>(hit) << r;
    }
  }
  return hits;
}

size_t DotPanelOfTarget(const float* panel, const float* rows, size_t num_rows,
                        size_t stride, size_t dim, const float* scales,
                        const float* penalties, const float* thresholds,
                        const float* row_thresholds, float* scores,
                        uint32_t* hits) {
  size_t num_hits = 0;
  size_t row = 0;
  const auto keep_hits = [&](uint32_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      hits[num_hits++] = static_cast<uint32_t>(row) +
                         static_cast<uint32_t>(__builtin_ctz(bits));
    }
  };
  for (; row + kBlockRows <= num_rows; row += kBlockRows) {
    keep_hits(RowsTimesPanel<kBlockRows>(
        panel, rows + row * stride, stride, dim, scales + row, penalties + row,
        thresholds, row_thresholds + row, scores + row * kPanelQueries));
  }
  for (; row < num_rows; ++row) {
    keep_hits(RowsTimesPanel<1>(
        panel, rows + row * stride, stride, dim, scales + row, penalties + row,
        thresholds, row_thresholds + row, scores + row * kPanelQueries));
  }
  return num_hits;
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

}  // namespace firth
#endif  // HWY_ONCE
