// The nearest centroid c of a row x minimizes |c|^2 / 2 - c . x. Each lane has
// one centroid, so that short rows of a few floats fill the vectors. Four rows
// are processed together and share the loads.

#include "simd/nearest_centroid.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/nearest_centroid.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The number of lanes divides the length of a panel's padded rows.
using CentroidLanes = hn::CappedTag<float, kRowFloats>;
using Centroids = hn::Vec<CentroidLanes>;

// Returns the position of the minimum score, the first one if several are
// equal.
HWY_INLINE uint8_t PositionOfLeast(Centroids scores, Centroids positions) {
  const CentroidLanes d;
  const auto is_least = hn::Eq(scores, hn::MinOfLanes(d, scores));
  const auto behind = hn::Set(d, static_cast<float>(kMostCentroids - 1));
  return static_cast<uint8_t>(hn::GetLane(
      hn::MinOfLanes(d, hn::IfThenElse(is_least, positions, behind))));
}

template <size_t kRows>
HWY_INLINE void NearestOfRows(const float* HWY_RESTRICT rows, size_t stride,
                              const float* HWY_RESTRICT columns,
                              const float* HWY_RESTRICT half_norms, size_t dim,
                              size_t padded_count, uint8_t* codes,
                              size_t code_stride) {
  const CentroidLanes d;
  Centroids least[kRows], least_at[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    // Not infinity, which the scalar MinOfLanes() does not return.
    least[r] = hn::Set(d, std::numeric_limits<float>::max());
    least_at[r] = hn::Zero(d);
  }
  for (size_t at = 0; at < padded_count; at += hn::Lanes(d)) {
    Centroids scores[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      scores[r] = hn::Load(d, half_norms + at);
    }
    for (size_t i = 0; i < dim; ++i) {
      const auto column = hn::Load(d, columns + i * padded_count + at);
      for (size_t r = 0; r < kRows; ++r) {
        scores[r] =
            hn::NegMulAdd(hn::Set(d, rows[r * stride + i]), column, scores[r]);
      }
    }
    const auto position = hn::Iota(d, static_cast<float>(at));
    for (size_t r = 0; r < kRows; ++r) {
      const auto is_less = hn::Lt(scores[r], least[r]);
      least[r] = hn::IfThenElse(is_less, scores[r], least[r]);
      least_at[r] = hn::IfThenElse(is_less, position, least_at[r]);
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    codes[r * code_stride] = PositionOfLeast(least[r], least_at[r]);
  }
}

void FindNearestOfTarget(const float* rows, size_t num_rows, size_t stride,
                         const float* columns, const float* half_norms,
                         size_t dim, size_t padded_count, uint8_t* codes,
                         size_t code_stride) {
  constexpr size_t kBlockRows = 4;
  size_t row = 0;
  for (; row + kBlockRows <= num_rows; row += kBlockRows) {
    NearestOfRows<kBlockRows>(rows + row * stride, stride, columns, half_norms,
                              dim, padded_count, codes + row * code_stride,
                              code_stride);
  }
  for (; row < num_rows; ++row) {
    NearestOfRows<1>(rows + row * stride, stride, columns, half_norms, dim,
                     padded_count, codes + row * code_stride, code_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(FindNearestOfTarget);

CentroidPanel::CentroidPanel(const float* centroids, size_t count, size_t dim)
    : columns_(dim, count), half_norms_(1, count) {
  FIRTH_CHECK(count >= 1 && count <= kMostCentroids);
  float* const half_norms = half_norms_.Row(0);
  std::fill_n(half_norms, half_norms_.stride(),
              std::numeric_limits<float>::infinity());
  for (size_t c = 0; c < count; ++c) {
    double squares = 0;
    for (size_t i = 0; i < dim; ++i) {
      const float value = centroids[c * dim + i];
      columns_.Row(i)[c] = value;
      squares += double{value} * value;
    }
    half_norms[c] = static_cast<float>(squares / 2);
  }
}

void CentroidPanel::FindNearest(const float* rows, size_t num_rows,
                                size_t stride, uint8_t* codes,
                                size_t code_stride) const {
  HWY_DYNAMIC_DISPATCH(FindNearestOfTarget)
  (rows, num_rows, stride, columns_.data(), half_norms_.Row(0), columns_.rows(),
   columns_.stride(), codes, code_stride);
}

}  // namespace firth
#endif  // HWY_ONCE
