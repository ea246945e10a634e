// Operations on whole rows: gathering shared rows into private memory, adding
// steps to them, and exchanging a worker's changes with those of the others.
// Rows are padded, so there is no remainder.

#include <algorithm>
#include <cstddef>

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
