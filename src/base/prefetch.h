// Asking for cache lines before they are needed.
//
// By instructions, not by __builtin_prefetch: GCC takes a function that does
// nothing but prefetch for one without effect, and leaves out its calls (12.2,
// -O3); and it writes prefetchw only for processors that it knows to have it,
// though on the others that run x86-64 code it does nothing.

#ifndef FIRTH_BASE_PREFETCH_H_
#define FIRTH_BASE_PREFETCH_H_

namespace firth {

// The line of `address` will be read soon.
inline void PrefetchForRead(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetcht0 (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/0, /*locality=*/3);
#endif
}

// It will be read, but much else before it: into the second-level cache, so
// that it takes no place in the first.
inline void PrefetchForLater(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetcht1 (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/0, /*locality=*/2);
#endif
}

// It will be read and written: with a plain read prefetch a line changes hands
// between two cores twice.
inline void PrefetchForWrite(void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, /*rw=*/1, /*locality=*/3);
#endif
}

}  // namespace firth

#endif  // FIRTH_BASE_PREFETCH_H_
