// Dot products process rows one after another, each in four chains of
// multiply-adds, which cover the latency of one. Memory is read sequentially.
// Four rows at a time would be a third faster if they are in a cache, but the
// processor then prefetches too little, and a scan of 100,000 rows of 300
// floats takes twice as long.

#include "simd/stored_rows.h"

#include <cstring>

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/stored_rows.cc"
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

// Dot products of bytes: they are widened to 16 bits when they are loaded, and
// one instruction sums pairs of products to 32 bits. A product of bytes by
// bytes (vpmaddubsw) would take half the instructions, but its 16-bit sums
// saturate, and this kernel is already as fast as rows of 300 bytes arrive from
// memory.

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
HWY_INLINE int32_t Int8RowDot(const Query* HWY_RESTRICT query,
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
    products[r] = Int8RowDot(query, rows + r * stride, stride);
  }
}

int32_t DotInt8OfTarget(const int8_t* a, const int8_t* b, size_t size) {
  return Int8RowDot(a, b, size);
}

// Squared norms: four chains of multiply-adds cover the latency of one. Doubles
// cost nothing here, because memory is slower than the sums.

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

template <class Number>
HWY_INLINE void Widen(const Number* HWY_RESTRICT from, float scale, size_t n,
                      float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Mul(LoadFloats(d, from + i), hn::Set(d, scale)), d, to + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    hn::StoreU(hn::Mul(LoadFloats(one, from + i), hn::Set(one, scale)), one,
               to + i);
  }
}

// Row by row, so that the processor prefetches each row; the sum stays in the
// first cache.
template <class D>
HWY_INLINE void SumRowsBy(D d, const float* const* rows, const float* scales,
                          size_t num_rows, float factor, size_t begin,
                          size_t end, float* HWY_RESTRICT mean) {
  const size_t lanes = hn::Lanes(d);
  for (size_t i = begin; i < end; i += lanes) {
    hn::StoreU(hn::Zero(d), d, mean + i);
  }
  for (size_t r = 0; r < num_rows; ++r) {
    const float* const row = rows[r];
    const auto scale = hn::Set(d, scales == nullptr ? 1.0f : scales[r]);
    for (size_t i = begin; i < end; i += lanes) {
      hn::StoreU(
          hn::MulAdd(scale, hn::LoadU(d, row + i), hn::LoadU(d, mean + i)), d,
          mean + i);
    }
  }
  const auto factors = hn::Set(d, factor);
  for (size_t i = begin; i < end; i += lanes) {
    hn::StoreU(hn::Mul(factors, hn::LoadU(d, mean + i)), d, mean + i);
  }
}

void SumRowsOfTarget(const float* const* rows, const float* scales,
                     size_t num_rows, float factor, size_t dim, float* mean) {
  const hn::ScalableTag<float> d;
  const size_t whole = dim - dim % hn::Lanes(d);
  SumRowsBy(d, rows, scales, num_rows, factor, 0, whole, mean);
  SumRowsBy(hn::CappedTag<float, 1>(), rows, scales, num_rows, factor, whole,
            dim, mean);
}

void WidenFloat16OfTarget(const uint16_t* from, size_t n, float* to) {
  Widen(from, 1, n, to);
}

void WidenInt8OfTarget(const int8_t* from, float scale, size_t n, float* to) {
  Widen(from, scale, n, to);
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

HWY_EXPORT(SquaredNormsOfTarget);

void SquaredNorms(const float* rows, size_t num_rows, size_t stride, size_t dim,
                  double* squared_norms) {
  HWY_DYNAMIC_DISPATCH(SquaredNormsOfTarget)
  (rows, num_rows, stride, dim, squared_norms);
}

// Lookups use plain loads. A processor does two per cycle, which gather
// instructions, if available, do not surpass. One load gets eight codes, and
// four sums cover the latency of an addition.

namespace {

constexpr size_t kStep = 8;  // Codes in a word of 64 bits.

float SumOfRow(const float* tables, size_t entries, const uint8_t* codes,
               size_t parts) {
  float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  size_t part = 0;
  const float* table = tables;
  const auto next = [&](uint64_t code) {
    const float value = table[code & 255];
    table += entries;
    return value;
  };
  for (; part + kStep <= parts; part += kStep) {
    uint64_t word;
    std::memcpy(&word, codes + part, sizeof(word));
    sum0 += next(word);
    sum1 += next(word >> 8);
    sum2 += next(word >> 16);
    sum3 += next(word >> 24);
    sum0 += next(word >> 32);
    sum1 += next(word >> 40);
    sum2 += next(word >> 48);
    sum3 += next(word >> 56);
  }
  for (; part < parts; ++part) sum0 += next(codes[part]);
  return (sum0 + sum1) + (sum2 + sum3);
}

}  // namespace

void SumLookups(const float* tables, size_t entries, const uint8_t* codes,
                size_t num_rows, size_t parts, float* sums) {
  for (size_t row = 0; row < num_rows; ++row) {
    sums[row] = SumOfRow(tables, entries, codes + row * parts, parts);
  }
}

HWY_EXPORT(SumRowsOfTarget);

void SumRows(const float* const* rows, const float* scales, size_t num_rows,
             float factor, size_t dim, float* mean) {
  HWY_DYNAMIC_DISPATCH(SumRowsOfTarget)
  (rows, scales, num_rows, factor, dim, mean);
}

HWY_EXPORT(WidenFloat16OfTarget);
HWY_EXPORT(WidenInt8OfTarget);

void WidenFloat16(const uint16_t* from, size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenFloat16OfTarget)(from, n, to);
}

void WidenInt8(const int8_t* from, float scale, size_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenInt8OfTarget)(from, scale, n, to);
}

}  // namespace firth
#endif  // HWY_ONCE
