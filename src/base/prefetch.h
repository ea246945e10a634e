// Requests cache lines before they are needed.
//
// These functions use instructions instead of __builtin_prefetch. GCC considers
// a function that only prefetches to have no effect, and removes its calls
// (12.2, -O3). It also emits prefetchw only for processors that are known to
// support it, although the instruction does nothing on the other x86-64
// processors.

#ifndef FIRTH_BASE_PREFETCH_H_
#define FIRTH_BASE_PREFETCH_H_

namespace firth {

// Prefetches the line of `address`, which will be read soon.
inline void PrefetchForRead(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetcht0 (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/0, /*locality=*/3);
#endif
}

// Prefetches a line that will be read only after much else. It goes to the
// second-level cache, so that it takes no space in the first.
inline void PrefetchForLater(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetcht1 (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/0, /*locality=*/2);
#endif
}

// Prefetches a line that will be read and written. With a plain read prefetch,
// the line would move between two cores twice.
inline void PrefetchForWrite(void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/1, /*locality=*/3);
#endif
}

}  // namespace firth

#endif  // FIRTH_BASE_PREFETCH_H_
