#include "classify/weighted_rows.h"

#include <variant>
#include <vector>

#include "base/prefetch.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "classify/weighted_rows.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kFeaturesAhead = 12;

// Adds kVectors vectors of columns, starting at `at`. The last vector has
// `last` columns.
template <size_t kVectors, class D>
HWY_INLINE void AddColumnVectors(D d, ConstView<float> rows,
                                 absl::Span<const WideFeature> features,
                                 size_t at, size_t last, float* to) {
  const size_t lanes = hn::Lanes(d);
  const auto first_lanes = hn::FirstN(d, last);
  const bool is_whole = last == lanes;
  hn::Vec<D> sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (size_t i = 0; i < features.size(); ++i) {
    if (i + kFeaturesAhead < features.size()) {
      PrefetchForRead(rows.Row(features[i + kFeaturesAhead].row) + at);
    }
    const float* const row = rows.Row(features[i].row) + at;
    const auto x = hn::Set(d, features[i].value);
    for (size_t v = 0; v + 1 < kVectors; ++v) {
      sums[v] = hn::MulAdd(x, hn::LoadU(d, row + v * lanes), sums[v]);
    }
    const float* const end = row + (kVectors - 1) * lanes;
    const auto values =
        is_whole ? hn::LoadU(d, end) : hn::MaskedLoad(first_lanes, d, end);
    sums[kVectors - 1] = hn::MulAdd(x, values, sums[kVectors - 1]);
  }
  HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
  for (size_t v = 0; v < kVectors; ++v) {
    hn::Store(sums[v], d, lane);
    const size_t count = v + 1 < kVectors ? lanes : last;
    for (size_t i = 0; i < count; ++i) to[at + v * lanes + i] += lane[i];
  }
}

void AddWeightedFloats(ConstView<float> rows,
                       absl::Span<const WideFeature> features, float* to) {
  const hn::CappedTag<float, 8> d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; at + 4 * lanes <= rows.cols(); at += 4 * lanes) {
    AddColumnVectors<4>(d, rows, features, at, lanes, to);
  }
  const size_t left = rows.cols() - at;
  if (left == 0) return;
  const size_t vectors = (left + lanes - 1) / lanes;
  const size_t last = left - (vectors - 1) * lanes;
  if (vectors == 1) AddColumnVectors<1>(d, rows, features, at, last, to);
  if (vectors == 2) AddColumnVectors<2>(d, rows, features, at, last, to);
  if (vectors == 3) AddColumnVectors<3>(d, rows, features, at, last, to);
  if (vectors == 4) AddColumnVectors<4>(d, rows, features, at, last, to);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(AddWeightedFloats);

void AddWeightedRows(const RowStore& rows,
                     absl::Span<const WideFeature> features,
                     absl::Span<float> sums) {
  if (const auto* const floats = std::get_if<FloatTable>(&rows)) {
    HWY_DYNAMIC_DISPATCH(AddWeightedFloats)(*floats, features, sums.data());
    return;
  }
  std::vector<float> row(sums.size());
  for (const WideFeature feature : features) {
    CopyRow(rows, feature.row, absl::MakeSpan(row));
    for (size_t c = 0; c < row.size(); ++c) sums[c] += feature.value * row[c];
  }
}

}  // namespace firth
#endif  // HWY_ONCE
