// Operations on whole rows: gathering shared rows into private memory, adding
// steps to them, and exchanging a worker's changes with those of the others.
// Rows are padded, so there is no remainder.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "absl/types/span.h"
#include "base/shared_matrix.h"
#include "simd/targets.h"

#if defined(FIRTH_SIMD_ROW_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_ROW_OPS_INL_H_
#undef FIRTH_SIMD_ROW_OPS_INL_H_
#else
#define FIRTH_SIMD_ROW_OPS_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Computes to = from.
HWY_INLINE void CopyRow(SharedRow from, size_t columns, float* to) {
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    hn::Store(LoadLanes(from, at), FloatTag(), to + at);
  }
}

HWY_INLINE float Dot(SharedRow row, const float* values, size_t columns) {
  const FloatTag d;
  FloatVec sum = hn::Zero(d);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    sum = hn::MulAdd(LoadLanes(row, at), hn::Load(d, values + at), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// Computes sum += scale * row.
HWY_INLINE void AddRow(float scale, SharedRow row, size_t columns, float* sum) {
  const FloatTag d;
  const FloatVec factor = hn::Set(d, scale);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    hn::Store(hn::MulAdd(factor, LoadLanes(row, at), hn::Load(d, sum + at)), d,
              sum + at);
  }
}

// Computes to = values - row.
HWY_INLINE void Subtract(const float* values, SharedRow row, size_t columns,
                         float* to) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    hn::Store(hn::Sub(hn::Load(d, values + at), LoadLanes(row, at)), d,
              to + at);
  }
}

// Computes to += scale * from.
HWY_INLINE void AddScaled(float scale, const float* from, size_t columns,
                          SharedRow to) {
  const FloatTag d;
  const FloatVec factor = hn::Set(d, scale);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    AddToLanes(to, at, hn::Mul(factor, hn::Load(d, from + at)));
  }
}

// Maximum vectors of a row that are processed at once; their sums must fit in
// registers.
constexpr size_t kRowVectors = 4;

template <size_t kVectors>
HWY_INLINE void SumColumns(absl::Span<const SharedRow> rows, FloatVec factor,
                           size_t at, float* to) {
  const FloatTag d;
  FloatVec sums[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (const SharedRow row : rows) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], LoadLanes(row, at + v * FloatLanes()));
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    hn::Store(hn::Mul(sums[v], factor), d, to + at + v * FloatLanes());
  }
}

// Computes to = scale * (sum of the rows).
HWY_INLINE void ScaledSum(absl::Span<const SharedRow> rows, float scale,
                          size_t columns, float* to) {
  const FloatVec factor = hn::Set(FloatTag(), scale);
  const size_t step = kRowVectors * FloatLanes();
  size_t at = 0;
  for (; at + step <= columns; at += step) {
    SumColumns<kRowVectors>(rows, factor, at, to);
  }
  for (; at < columns; at += FloatLanes()) SumColumns<1>(rows, factor, at, to);
}

template <size_t kVectors>
HWY_INLINE void AddColumns(FloatVec factor, const float* from, size_t at,
                           absl::Span<const SharedRow> rows) {
  const FloatTag d;
  FloatVec steps[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    steps[v] = hn::Mul(factor, hn::Load(d, from + at + v * FloatLanes()));
  }
  for (const SharedRow row : rows) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      AddToLanes(row, at + v * FloatLanes(), steps[v]);
    }
  }
}

// Adds scale * from to every row.
HWY_INLINE void AddScaledToAll(float scale, const float* from, size_t columns,
                               absl::Span<const SharedRow> rows) {
  const FloatVec factor = hn::Set(FloatTag(), scale);
  const size_t step = kRowVectors * FloatLanes();
  size_t at = 0;
  for (; at + step <= columns; at += step) {
    AddColumns<kRowVectors>(factor, from, at, rows);
  }
  for (; at < columns; at += FloatLanes()) {
    AddColumns<1>(factor, from, at, rows);
  }
}

// Sets of rows that have most rows in common, such as the contexts of adjacent
// words. Each row is visited once for all sets, without a branch that depends
// on which of them it is in. (Prefix sums require fewer operations, but wait
// for their own stores; training took a third longer with them.)
struct RowSets {
  absl::Span<const SharedRow> rows;
  const float* members;  // [rows, kStride]: 1 if the row is in the set, or 0.

  static constexpr size_t kStride = 8;
};

// Vectors of a row that are processed at once: with 32 registers, four for each
// of six sets.
constexpr size_t kSetVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// Calls call(std::integral_constant<size_t, vectors>(), at) until all columns
// are processed.
template <class Call>
HWY_INLINE void ForSetVectors(size_t columns, const Call& call) {
  const size_t step = kSetVectors * FloatLanes();
  size_t at = 0;
  for (; at + step <= columns; at += step) {
    call(std::integral_constant<size_t, kSetVectors>(), at);
  }
  if (at + 2 * FloatLanes() < columns) {
    call(std::integral_constant<size_t, 3>(), at);
  } else if (at + FloatLanes() < columns) {
    call(std::integral_constant<size_t, 2>(), at);
  } else if (at < columns) {
    call(std::integral_constant<size_t, 1>(), at);
  }
}

// Computes to[s] = scales[s] * (sum of the rows in set s). to: [kSets, stride].
template <size_t kSets>
HWY_INLINE void ScaledSumsOfSets(const RowSets& sets, const float* scales,
                                 size_t columns, float* to, size_t stride) {
  const FloatTag d;
  ForSetVectors(columns, [&](auto vectors, size_t at) HWY_ATTR {
    constexpr size_t kVectors = vectors();
    FloatVec sums[kSets * kVectors];
    HWY_UNROLL(24)
    for (size_t k = 0; k < kSets * kVectors; ++k) sums[k] = hn::Zero(d);
    const float* in = sets.members;
    for (const SharedRow row : sets.rows) {
      FloatVec values[kVectors];
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        values[v] = LoadLanes(row, at + v * FloatLanes());
      }
      HWY_UNROLL(24)
      for (size_t k = 0; k < kSets * kVectors; ++k) {
        sums[k] = hn::MulAdd(hn::Set(d, in[k / kVectors]), values[k % kVectors],
                             sums[k]);
      }
      in += RowSets::kStride;
    }
    HWY_UNROLL(24)
    for (size_t k = 0; k < kSets * kVectors; ++k) {
      const size_t s = k / kVectors;
      hn::Store(hn::Mul(sums[k], hn::Set(d, scales[s])), d,
                to + s * stride + at + k % kVectors * FloatLanes());
    }
  });
}

// Adds scales[s] * from[s] to every row in set s. from: [kSets, stride].
template <size_t kSets>
HWY_INLINE void AddScaledToSets(const float* scales, const float* from,
                                size_t stride, size_t columns,
                                const RowSets& sets) {
  const FloatTag d;
  ForSetVectors(columns, [&](auto vectors, size_t at) HWY_ATTR {
    constexpr size_t kVectors = vectors();
    FloatVec steps[kSets * kVectors];
    HWY_UNROLL(24)
    for (size_t k = 0; k < kSets * kVectors; ++k) {
      const size_t s = k / kVectors;
      steps[k] = hn::Mul(
          hn::Set(d, scales[s]),
          hn::Load(d, from + s * stride + at + k % kVectors * FloatLanes()));
    }
    const float* in = sets.members;
    for (const SharedRow row : sets.rows) {
      // All are loaded before the first store, which might change them.
      FloatVec members[kSets];
      HWY_UNROLL(6)
      for (size_t s = 0; s < kSets; ++s) members[s] = hn::Set(d, in[s]);
      HWY_UNROLL(24)
      for (size_t k = 0; k < kSets * kVectors; ++k) {
        // Vector by vector, so that compilers keep only the last store to each.
        const size_t s = k % kSets;
        const size_t v = k / kSets;
        AddToLanes(row, at + v * FloatLanes(),
                   hn::Mul(members[s], steps[s * kVectors + v]));
      }
      in += RowSets::kStride;
    }
  });
}

// Computes to = scale * sum_i weights[i] * rows[i], value by value.
HWY_INLINE void ScaledSumOfProducts(absl::Span<const SharedRow> rows,
                                    absl::Span<float* const> weights,
                                    float scale, size_t columns, float* to) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    FloatVec sum = hn::Zero(d);
    for (size_t i = 0; i < rows.size(); ++i) {
      sum =
          hn::MulAdd(hn::Load(d, weights[i] + at), LoadLanes(rows[i], at), sum);
    }
    hn::Store(hn::Mul(sum, hn::Set(d, scale)), d, to + at);
  }
}

// Backward pass of ScaledSumOfProducts(): rows[i] += row_scale * weights[i] *
// from and weights[i] += weight_scale * rows[i] * from, both computed from the
// old values.
HWY_INLINE void AddProducts(absl::Span<const SharedRow> rows,
                            absl::Span<float* const> weights, float row_scale,
                            float weight_scale, const float* from,
                            size_t columns) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    const FloatVec step = hn::Load(d, from + at);
    const FloatVec row_step = hn::Mul(hn::Set(d, row_scale), step);
    const FloatVec weight_step = hn::Mul(hn::Set(d, weight_scale), step);
    for (size_t i = 0; i < rows.size(); ++i) {
      const FloatVec weight = hn::Load(d, weights[i] + at);
      const FloatVec row = LoadLanes(rows[i], at);
      AddToLanes(rows[i], at, hn::Mul(weight, row_step));
      hn::Store(hn::MulAdd(row, weight_step, weight), d, weights[i] + at);
    }
  }
}

// Adds a worker's changes of its own copy of a row to the shared row, and
// copies the result back: shared += own - base; own = base = shared.
HWY_INLINE void ExchangeRow(SharedRow shared, size_t columns, float* own,
                            float* base) {
  const FloatTag d;
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    AddToLanes(shared, at,
               hn::Sub(hn::Load(d, own + at), hn::Load(d, base + at)));
    const FloatVec now = LoadLanes(shared, at);
    hn::Store(now, d, own + at);
    hn::Store(now, d, base + at);
  }
}

// Exchanges the worker's copies of the `count` hottest rows, or of all, with
// the shared ones: before the first step, regularly during training, and after
// the last step. Each of the workers, `thread` of `threads`, begins at a
// different row, because two workers that exchange the same row at the same
// time may lose the changes of one.
HWY_INLINE void ExchangeHotRows(size_t thread, size_t threads, size_t columns,
                                size_t count, WorkerTable* table) {
  count = std::min(count, table->num_hot());
  for (size_t i = 0; i < count; ++i) {
    const size_t hot =
        table->NthHottest((count * thread / threads + i) % count);
    ExchangeRow(table->Shared(hot), columns, table->Own(hot), table->Base(hot));
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
