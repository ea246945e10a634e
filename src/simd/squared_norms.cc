// Four chains of multiply-adds cover the latency of one. Doubles cost nothing
// here, because memory is slower than the sums.

#include "simd/squared_norms.h"

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/squared_norms.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Loads Lanes(d) floats as doubles.
template <class D>
HWY_INLINE hn::Vec<D> LoadAsDoubles(D d, const float* from) {
  const hn::Rebind<float, D> floats;
  return hn::PromoteTo(d, hn::LoadU(floats, from));
}

HWY_INLINE double SquaredNorm(const float* row, size_t n) {
  const hn::ScalableTag<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto x0 = LoadAsDoubles(d, row + i);
    const auto x1 = LoadAsDoubles(d, row + i + lanes);
    const auto x2 = LoadAsDoubles(d, row + i + 2 * lanes);
    const auto x3 = LoadAsDoubles(d, row + i + 3 * lanes);
    sum0 = hn::MulAdd(x0, x0, sum0);
    sum1 = hn::MulAdd(x1, x1, sum1);
    sum2 = hn::MulAdd(x2, x2, sum2);
    sum3 = hn::MulAdd(x3, x3, sum3);
  }
  for (; i + lanes <= n; i += lanes) {
    const auto x = LoadAsDoubles(d, row + i);
    sum0 = hn::MulAdd(x, x, sum0);
  }
  double sum = hn::GetLane(
      hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
  for (; i < n; ++i) sum += double{row[i]} * row[i];
  return sum;
}

void SquaredNormsOfTarget(const float* rows, size_t num_rows, size_t stride,
                          size_t dim, double* squared_norms) {
  for (size_t r = 0; r < num_rows; ++r) {
    squared_norms[r] = SquaredNorm(rows + r * stride, dim);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(SquaredNormsOfTarget);

void SquaredNorms(const float* rows, size_t num_rows, size_t stride, size_t dim,
                  double* squared_norms) {
  HWY_DYNAMIC_DISPATCH(SquaredNormsOfTarget)
  (rows, num_rows, stride, dim, squared_norms);
}

}  // namespace firth
#endif  // HWY_ONCE
