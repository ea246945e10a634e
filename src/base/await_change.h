// Waiting for another thread of a team, thousands of times a second.
//
// A thread that waits spins for a moment, since the other is about to come, and
// then sleeps: one that has lost its core to another program would be waited
// for by threads that take the cores it might have. (GCC's OpenMP spins for
// milliseconds: beside another busy program rounds took 20 times as long.)

#ifndef FIRTH_BASE_AWAIT_CHANGE_H_
#define FIRTH_BASE_AWAIT_CHANGE_H_

#include <atomic>
#include <cstdint>

namespace firth {

// Returns when the value is no longer `seen`. Who changes it calls
// notify_all() afterwards.
inline void AwaitChange(const std::atomic<uint32_t>& value, uint32_t seen) {
  constexpr int kSpins = 2000;  // some 50 microseconds
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != seen) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(seen, std::memory_order_acquire);
}

}  // namespace firth

#endif  // FIRTH_BASE_AWAIT_CHANGE_H_
