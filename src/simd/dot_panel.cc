// Uses twelve accumulators: on AVX2, six rows by two vectors of eight queries.
// Each step over dim loads two vectors of the panel and broadcasts six values.
// These are eight loads for twelve multiply-adds, so loads are not the
// bottleneck, and there are no sums over lanes.

#include "simd/dot_panel.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dot_panel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
