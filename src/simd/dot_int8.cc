// Bytes are widened to 16 bits when they are loaded, and one instruction sums
// pairs of products to 32 bits. A product of bytes by bytes (vpmaddubsw) would
// take half the instructions, but its 16-bit sums saturate, and this kernel is
// already as fast as rows of 300 bytes arrive from memory.

#include "simd/dot_int8.h"

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/dot_int8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ShortLanes = hn::CappedTag<int16_t, kInt8RowBytes>;
using IntLanes = hn::RepartitionToWide<ShortLanes>;
using Shorts = hn::Vec<ShortLanes>;
using Ints = hn::Vec<IntLanes>;

HWY_INLINE Shorts LoadWidened(const int8_t* bytes) {
  const hn::Rebind<int8_t, ShortLanes> d8;
  return hn::PromoteTo(ShortLanes(), hn::LoadU(d8, bytes));
}

HWY_INLINE Shorts LoadOperand(const int8_t* bytes) {
  return LoadWidened(bytes);
}
HWY_INLINE Shorts LoadOperand(const int16_t* shorts) {
  return hn::LoadU(ShortLanes(), shorts);
}

// Some targets sum odd products separately. Both parts are added at the end.
struct PairSum {
  Ints even;
  Ints odd;

  HWY_INLINE PairSum()
      : even(hn::Zero(IntLanes())), odd(hn::Zero(IntLanes())) {}
  HWY_INLINE void AddProducts(Shorts a, Shorts b) {
    even = hn::ReorderWidenMulAccumulate(IntLanes(), a, b, even, odd);
  }
  HWY_INLINE Ints Sum() const { return hn::Add(even, odd); }
};

template <class Query>
HWY_INLINE int32_t RowDot(const Query* HWY_RESTRICT query,
                          const int8_t* HWY_RESTRICT row, size_t n) {
  const size_t lanes = hn::Lanes(ShortLanes());
  PairSum sum0, sum1;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0.AddProducts(LoadOperand(query + i), LoadWidened(row + i));
    sum1.AddProducts(LoadOperand(query + i + lanes),
                     LoadWidened(row + i + lanes));
  }
  if (i < n) sum0.AddProducts(LoadOperand(query + i), LoadWidened(row + i));
  return hn::GetLane(
      hn::SumOfLanes(IntLanes(), hn::Add(sum0.Sum(), sum1.Sum())));
}

void DotInt8RowsOfTarget(const int16_t* query, const int8_t* rows,
                         size_t num_rows, size_t stride, int32_t* products) {
  for (size_t r = 0; r < num_rows; ++r) {
    products[r] = RowDot(query, rows + r * stride, stride);
  }
}

int32_t DotInt8OfTarget(const int8_t* a, const int8_t* b, size_t size) {
  return RowDot(a, b, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(DotInt8RowsOfTarget);
HWY_EXPORT(DotInt8OfTarget);

void DotInt8Rows(const int16_t* query, const int8_t* rows, size_t num_rows,
                 size_t stride, int32_t* products) {
  FIRTH_CHECK(stride % kInt8RowBytes == 0);
  HWY_DYNAMIC_DISPATCH(DotInt8RowsOfTarget)
  (query, rows, num_rows, stride, products);
}

int32_t DotInt8(const int8_t* a, const int8_t* b, size_t size) {
  FIRTH_CHECK(size % kInt8RowBytes == 0 && size <= size_t{1} << 17);
  return HWY_DYNAMIC_DISPATCH(DotInt8OfTarget)(a, b, size);
}

}  // namespace firth
#endif  // HWY_ONCE
