// Exchanges a worker's changes to hot rows with those of the others: see
// shared_matrix.h.

#include <algorithm>
#include <cstddef>

#include "base/shared_matrix.h"
#include "simd/targets.h"

#if defined(FIRTH_SIMD_EXCHANGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_EXCHANGE_INL_H_
#undef FIRTH_SIMD_EXCHANGE_INL_H_
#else
#define FIRTH_SIMD_EXCHANGE_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

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
