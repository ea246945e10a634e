// A row is summed in two vectors of lanes, one for even and one for odd steps.
// Rows go by four: eight independent chains of multiply-adds cover the latency
// of one, and the query is loaded once for four rows. A single row is summed
// in the same order, so that a score does not depend on where in a run its row
// stands (and so not on the number of threads that share the rows).

#include "simd/dot.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dot.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The last `rest` of n floats, 0 < rest < Lanes(d) <= n, in the upper lanes; 0
// in the lower ones. Reads nothing beyond the n floats.
template <class D>
HWY_INLINE hn::Vec<D> LoadRest(D d, const float* from, size_t n, size_t rest) {
  const size_t lanes = hn::Lanes(d);
  return hn::IfThenZeroElse(hn::FirstN(d, lanes - rest),
                            hn::LoadU(d, from + n - lanes));
}

// n >= Lanes(d).
template <class D>
HWY_INLINE float RowDot(D d, const float* query, const float* row, size_t n) {
  const size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::MulAdd(hn::LoadU(d, query + i), hn::LoadU(d, row + i), even);
    odd = hn::MulAdd(hn::LoadU(d, query + i + lanes),
                     hn::LoadU(d, row + i + lanes), odd);
  }
  if (i + lanes <= n) {
    even = hn::MulAdd(hn::LoadU(d, query + i), hn::LoadU(d, row + i), even);
    i += lanes;
  }
  if (i < n) {
    odd = hn::MulAdd(LoadRest(d, query, n, n - i),
                     hn::LoadU(d, row + n - lanes), odd);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

// RowDot of four rows. Vectors of lanes may have no size known to the
// compiler, so there can be no array of them.
template <class D>
HWY_INLINE void FourRowDots(D d, const float* query, const float* row0,
                            size_t stride, size_t n, float* scores) {
  const size_t lanes = hn::Lanes(d);
  const float* row1 = row0 + stride;
  const float* row2 = row1 + stride;
  const float* row3 = row2 + stride;
  auto even0 = hn::Zero(d), even1 = even0, even2 = even0, even3 = even0;
  auto odd0 = even0, odd1 = even0, odd2 = even0, odd3 = even0;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto q = hn::LoadU(d, query + i);
    even0 = hn::MulAdd(q, hn::LoadU(d, row0 + i), even0);
    even1 = hn::MulAdd(q, hn::LoadU(d, row1 + i), even1);
    even2 = hn::MulAdd(q, hn::LoadU(d, row2 + i), even2);
    even3 = hn::MulAdd(q, hn::LoadU(d, row3 + i), even3);
    const auto p = hn::LoadU(d, query + i + lanes);
    odd0 = hn::MulAdd(p, hn::LoadU(d, row0 + i + lanes), odd0);
    odd1 = hn::MulAdd(p, hn::LoadU(d, row1 + i + lanes), odd1);
    odd2 = hn::MulAdd(p, hn::LoadU(d, row2 + i + lanes), odd2);
    odd3 = hn::MulAdd(p, hn::LoadU(d, row3 + i + lanes), odd3);
  }
  if (i + lanes <= n) {
    const auto q = hn::LoadU(d, query + i);
    even0 = hn::MulAdd(q, hn::LoadU(d, row0 + i), even0);
    even1 = hn::MulAdd(q, hn::LoadU(d, row1 + i), even1);
    even2 = hn::MulAdd(q, hn::LoadU(d, row2 + i), even2);
    even3 = hn::MulAdd(q, hn::LoadU(d, row3 + i), even3);
    i += lanes;
  }
  if (i < n) {
    const auto q = LoadRest(d, query, n, n - i);
    odd0 = hn::MulAdd(q, hn::LoadU(d, row0 + n - lanes), odd0);
    odd1 = hn::MulAdd(q, hn::LoadU(d, row1 + n - lanes), odd1);
    odd2 = hn::MulAdd(q, hn::LoadU(d, row2 + n - lanes), odd2);
    odd3 = hn::MulAdd(q, hn::LoadU(d, row3 + n - lanes), odd3);
  }
  scores[0] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even0, odd0)));
  scores[1] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even1, odd1)));
  scores[2] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even2, odd2)));
  scores[3] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even3, odd3)));
}

template <class D>
HWY_INLINE void DotRowsBy(D d, const float* query, const float* rows,
                          size_t num_rows, size_t stride, size_t dim,
                          float* scores) {
  size_t r = 0;
  for (; r + 4 <= num_rows; r += 4) {
    FourRowDots(d, query, rows + r * stride, stride, dim, scores + r);
  }
  for (; r < num_rows; ++r) {
    scores[r] = RowDot(d, query, rows + r * stride, dim);
  }
}

void DotRowsOfTarget(const float* query, const float* rows, size_t num_rows,
                     size_t stride, size_t dim, float* scores) {
  const hn::ScalableTag<float> d;
  if (dim >= hn::Lanes(d)) {
    DotRowsBy(d, query, rows, num_rows, stride, dim, scores);
    return;
  }
  const hn::CappedTag<float, 1> one;
  for (size_t r = 0; r < num_rows; ++r) {
    scores[r] = dim == 0 ? 0 : RowDot(one, query, rows + r * stride, dim);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(DotRowsOfTarget);

float Dot(const float* a, const float* b, size_t n) {
  float score;
  DotRows(a, b, 1, n, n, &score);
  return score;
}

void DotRows(const float* query, const float* rows, size_t num_rows,
             size_t stride, size_t dim, float* scores) {
  HWY_DYNAMIC_DISPATCH(DotRowsOfTarget)
  (query, rows, num_rows, stride, dim, scores);
}

}  // namespace firth
#endif  // HWY_ONCE
