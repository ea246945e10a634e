// Rows are processed one after another, each in four chains of multiply-adds,
// which cover the latency of one. Memory is read sequentially. Four rows at a
// time would be a third faster if they are in a cache, but the processor then
// prefetches too little, and a scan of 100,000 rows of 300 floats takes twice
// as long.

#include "simd/dot.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dot.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/load_floats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Loads the last `rest` of n floats, 0 < rest < Lanes(d) <= n, to the upper
// lanes, with 0 in the lower ones. Reads nothing after the n floats.
template <class D>
HWY_INLINE hn::Vec<D> LoadRest(D d, const float* from, size_t n, size_t rest) {
  const size_t lanes = hn::Lanes(d);
  return hn::IfThenZeroElse(hn::FirstN(d, lanes - rest),
                            hn::LoadU(d, from + n - lanes));
}

// Requires n >= Lanes(d). There are four partial sums, used in turn.
template <class D, class Number>
HWY_INLINE float RowDot(D d, const float* HWY_RESTRICT query,
                        const Number* HWY_RESTRICT row, size_t n) {
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, query + i), LoadFloats(d, row + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, query + i + lanes),
                      LoadFloats(d, row + i + lanes), sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, query + i + 2 * lanes),
                      LoadFloats(d, row + i + 2 * lanes), sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, query + i + 3 * lanes),
                      LoadFloats(d, row + i + 3 * lanes), sum3);
  }
  for (; i + lanes <= n; i += lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, query + i), LoadFloats(d, row + i), sum0);
  }
  if (i < n) {
    sum1 = hn::MulAdd(LoadRest(d, query, n, n - i),
                      LoadFloats(d, row + n - lanes), sum1);
  }
  return hn::GetLane(
      hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

template <class Number>
HWY_INLINE void DotRowsBy(const float* query, const Number* rows,
                          size_t num_rows, size_t stride, size_t dim,
                          float* scores) {
  const hn::ScalableTag<float> d;
  if (dim >= hn::Lanes(d)) {
    for (size_t r = 0; r < num_rows; ++r) {
      scores[r] = RowDot(d, query, rows + r * stride, dim);
    }
    return;
  }
  const hn::CappedTag<float, 1> one;
  for (size_t r = 0; r < num_rows; ++r) {
    scores[r] = dim == 0 ? 0 : RowDot(one, query, rows + r * stride, dim);
  }
}

void DotRowsOfTarget(const float* query, const float* rows, size_t num_rows,
                     size_t stride, size_t dim, float* scores) {
  DotRowsBy(query, rows, num_rows, stride, dim, scores);
}

void DotFloat16RowsOfTarget(const float* query, const uint16_t* rows,
                            size_t num_rows, size_t stride, size_t dim,
                            float* scores) {
  DotRowsBy(query, rows, num_rows, stride, dim, scores);
}

void DotByteRowsOfTarget(const float* query, const int8_t* rows,
                         size_t num_rows, size_t stride, size_t dim,
                         float* scores) {
  DotRowsBy(query, rows, num_rows, stride, dim, scores);
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(DotRowsOfTarget);
HWY_EXPORT(DotFloat16RowsOfTarget);
HWY_EXPORT(DotByteRowsOfTarget);

void DotRows(const float* query, const float* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores) {
  HWY_DYNAMIC_DISPATCH(DotRowsOfTarget)
  (query, rows, num_rows, stride, dim, scores);
}

void DotRows(const float* query, const uint16_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores) {
  HWY_DYNAMIC_DISPATCH(DotFloat16RowsOfTarget)
  (query, rows, num_rows, stride, dim, scores);
}

void DotRows(const float* query, const int8_t* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores) {
  HWY_DYNAMIC_DISPATCH(DotByteRowsOfTarget)
  (query, rows, num_rows, stride, dim, scores);
}

}  // namespace firth
#endif  // HWY_ONCE
