// The functions that may access the memory of a SharedRow: load lanes, add to
// lanes, and the same for one element. Everything that Hogwild shares goes
// through them, so this is where updates may be lost.
//
// In the normal build they are plain vector loads and stores. Strictly, this is
// a data race in C++. We rely only on the compiler emitting them as written and
// on aligned 4-byte lanes not tearing. With FIRTH_RACE_FREE (`make tsan`), each
// element is a relaxed atomic instead.
//
// A PrivateRow has the same functions for memory of one worker, so that kernels
// can be templates over both.

#include "absl/types/span.h"
#include "base/prefetch.h"
#include "base/shared_matrix.h"
#include "simd/targets.h"

#if defined(FIRTH_RACE_FREE)
#include <atomic>
#endif

#if defined(FIRTH_SIMD_SHARED_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_SHARED_ROW_INL_H_
#undef FIRTH_SIMD_SHARED_ROW_INL_H_
#else
#define FIRTH_SIMD_SHARED_ROW_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

// Never more than the padding of a row, so no kernel needs a remainder loop.
HWY_INLINE size_t FloatLanes() { return hn::Lanes(FloatTag()); }

// Returns the columns that kernels visit for rows of `dim` values: whole
// vectors, which may be fewer than the padded columns if vectors are narrow.
HWY_INLINE size_t VisitedColumns(size_t dim) {
  return (dim + FloatLanes() - 1) / FloatLanes() * FloatLanes();
}

// The columns that a kernel visits, one vector at a time:
//
//   for (auto at = FirstStrip(columns); at < columns; at += FloatLanes())
//
// Columns are either a number from VisitedColumns(), for padded rows, or this
// type.
struct UnpaddedColumns {
  size_t count;
};
HWY_INLINE size_t FirstStrip(size_t) { return 0; }

// A strip of rows that may begin anywhere and whose last vector may be
// incomplete. Lanes that belong to the next row count as zero.
struct UnpaddedStrip {
  size_t at;
  size_t count;  // Number of all columns.

  HWY_INLINE bool operator<(UnpaddedColumns columns) const {
    return at < columns.count;
  }
  HWY_INLINE UnpaddedStrip& operator+=(size_t lanes) {
    at += lanes;
    return *this;
  }
};
HWY_INLINE UnpaddedStrip FirstStrip(UnpaddedColumns columns) {
  return {0, columns.count};
}

struct PrivateRow {
  float* data;
};

HWY_INLINE FloatVec LoadLanes(PrivateRow row, size_t at) {
  return hn::Load(FloatTag(), row.data + at);
}
HWY_INLINE void AddToLanes(PrivateRow row, size_t at, FloatVec step) {
  const FloatTag d;
  hn::Store(hn::Add(hn::Load(d, row.data + at), step), d, row.data + at);
}

#if defined(FIRTH_RACE_FREE)

HWY_INLINE float LoadElement(SharedRow row, size_t at) {
  return std::atomic_ref<float>(row.UnsafeData()[at])
      .load(std::memory_order_relaxed);
}
HWY_INLINE void AddToElement(SharedRow row, size_t at, float step) {
  std::atomic_ref<float> cell(row.UnsafeData()[at]);
  cell.store(cell.load(std::memory_order_relaxed) + step,
             std::memory_order_relaxed);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, SharedRow row, size_t at) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = LoadElement(row, at + i);
  return hn::Load(d, lanes);
}
template <class D>
HWY_INLINE void AddToLanes(D d, SharedRow row, size_t at, hn::Vec<D> step) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(step, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    AddToElement(row, at + i, lanes[i]);
  }
}

#else

HWY_INLINE float LoadElement(SharedRow row, size_t at) {
  return row.UnsafeData()[at];
}
HWY_INLINE void AddToElement(SharedRow row, size_t at, float step) {
  row.UnsafeData()[at] += step;
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, SharedRow row, size_t at) {
  return hn::Load(d, row.UnsafeData() + at);
}
template <class D>
HWY_INLINE void AddToLanes(D d, SharedRow row, size_t at, hn::Vec<D> step) {
  float* const to = row.UnsafeData() + at;
  hn::Store(hn::Add(hn::Load(d, to), step), d, to);
}

#endif  // FIRTH_RACE_FREE

// The functions above also accept vectors that are shorter than those of the
// machine. The following ones use the full length.
HWY_INLINE FloatVec LoadLanes(SharedRow row, size_t at) {
  return LoadLanes(FloatTag(), row, at);
}
HWY_INLINE void AddToLanes(SharedRow row, size_t at, FloatVec step) {
  AddToLanes(FloatTag(), row, at, step);
}

// For a matrix without padding that only one thread uses. Lanes loaded after
// the end of a row are zero, so a step computed from them is zero, too, and may
// be added to the next row.
HWY_INLINE FloatVec LoadLanes(SharedRow row, UnpaddedStrip strip) {
  const FloatTag d;
  return hn::IfThenElseZero(hn::FirstN(d, strip.count - strip.at),
                            hn::LoadU(d, row.UnsafeData() + strip.at));
}
HWY_INLINE void AddToLanes(SharedRow row, UnpaddedStrip strip, FloatVec step) {
  const FloatTag d;
  float* const to = row.UnsafeData() + strip.at;
  hn::StoreU(hn::Add(hn::LoadU(d, to), step), d, to);
}

// Prefetches the cache line of an element that will be read and written soon.
HWY_INLINE void PrefetchElement(SharedRow row, size_t at) {
  PrefetchForWrite(row.UnsafeData() + at);
}

// Does the same for rows at column `at`, if a cache line begins there.
HWY_INLINE void PrefetchColumns(absl::Span<const SharedRow> rows, size_t at) {
  if (at % kRowFloats != 0) return;
  for (const SharedRow row : rows) PrefetchElement(row, at);
}
HWY_INLINE void PrefetchColumns(absl::Span<const SharedRow> rows,
                                UnpaddedStrip strip) {
  PrefetchColumns(rows, strip.at);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
