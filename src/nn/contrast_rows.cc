#include "nn/contrast_rows.h"

#include <cstdint>

#include "base/prefetch.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/contrast_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// These must follow foreach_target.h.
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

using namespace firth::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)

// Scores are at most 80 below their maximum, and far less where a pair is
// masked.
template <class V>
HWY_INLINE V ExpOrZero(V x) {
  return WherePositive(x + V(86), Exp(x));
}

template <bool kStreams, class T>
HWY_INLINE T StoreScores(const ContrastRow<T>& row, const T* products,
                         T* scores, T* column_sums) {
  return SumOver<T>(row.count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    const V score = access.Load(products + at) * V(row.row_factor) *
                    access.Load(row.column_factors + at);
    const V e = ExpOrZero(score - V(row.shift));
    if constexpr (kStreams) {
      access.Stream(score, scores + at);
    } else {
      access.Store(score, scores + at);
    }
    access.Store(access.Load(column_sums + at) + e, column_sums + at);
    return e;
  });
}

template <class T>
HWY_INLINE T ScoresOf(const ContrastRow<T>& row, const T* products, T* scores,
                      T* column_sums) {
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(scores) % HWY_MAX_BYTES == 0;
  if (!row.streams || !is_aligned) {
    return StoreScores<false>(row, products, scores, column_sums);
  }
  const T sum = StoreScores<true>(row, products, scores, column_sums);
  hwy::FlushStream();
  return sum;
}

template <class T>
HWY_INLINE T GradientOf(const ContrastRow<T>& row,
                        const ContrastRowSums<T>& sums, const T* scores,
                        const T* more, T* weights, T* column_terms) {
  return SumOver<T>(row.count, [&](auto access, size_t at) HWY_ATTR {
    using V = typename decltype(access)::Value;
    // Hardware prefetching stops at the end of a row.
    PrefetchForWrite(weights + sums.next_row + at);
    const V score = access.Load(scores + at);
    const V g = V(sums.scale) * ExpOrZero(score - V(row.shift)) *
                (V(sums.row_inverse) + access.Load(sums.column_inverses + at));
    const V term = g * score;
    const V factor = access.Load(row.column_factors + at);
    V weight = g * (V(row.row_factor) * factor);
    if (more != nullptr) weight = weight + access.Load(more + at);
    access.Store(weight, weights + at);
    access.Store(access.Load(column_terms + at) + term * (factor * factor),
                 column_terms + at);
    return term;
  });
}

float ScoresOfFloats(const ContrastRow<float>& row, const float* products,
                     float* scores, float* column_sums) {
  return ScoresOf(row, products, scores, column_sums);
}
float GradientOfFloats(const ContrastRow<float>& row,
                       const ContrastRowSums<float>& sums, const float* scores,
                       const float* more, float* weights, float* column_terms) {
  return GradientOf(row, sums, scores, more, weights, column_terms);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth::nn {

HWY_EXPORT(ScoresOfFloats);
HWY_EXPORT(GradientOfFloats);

float ContrastScores(const ContrastRow<float>& row, const float* products,
                     float* scores, float* column_sums) {
  return HWY_DYNAMIC_DISPATCH(ScoresOfFloats)(row, products, scores,
                                              column_sums);
}
HWY_ATTR double ContrastScores(const ContrastRow<double>& row,
                               const double* products, double* scores,
                               double* column_sums) {
  return HWY_NAMESPACE::ScoresOf(row, products, scores, column_sums);
}

float ContrastGradient(const ContrastRow<float>& row,
                       const ContrastRowSums<float>& sums, const float* scores,
                       const float* more, float* weights, float* column_terms) {
  return HWY_DYNAMIC_DISPATCH(GradientOfFloats)(row, sums, scores, more,
                                                weights, column_terms);
}
HWY_ATTR double ContrastGradient(const ContrastRow<double>& row,
                                 const ContrastRowSums<double>& sums,
                                 const double* scores, const double* more,
                                 double* weights, double* column_terms) {
  return HWY_NAMESPACE::GradientOf(row, sums, scores, more, weights,
                                   column_terms);
}

}  // namespace firth::nn
#endif  // HWY_ONCE
