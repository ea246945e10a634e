// TeamBarrier: where the threads of a team wait for each other, thousands of
// times a second.
//
// A thread that waits spins for a moment, since the others are about to come,
// and then sleeps: one that has lost its core to another program would be
// waited for by threads that take the cores it might have. (OpenMP's barrier of
// GCC spins for milliseconds: beside another busy program rounds took 20 times
// as long.)

#ifndef FIRTH_BASE_TEAM_BARRIER_H_
#define FIRTH_BASE_TEAM_BARRIER_H_

#include <atomic>
#include <cstdint>

namespace firth {

class TeamBarrier {
 public:
  // Returns when `team` threads have called it; the last of them calls
  // complete() before any returns. What a thread wrote before is seen by all
  // after.
  template <class Complete>
  void Wait(int team, const Complete& complete) {
    const uint32_t phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
      complete();
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      phase_.notify_all();
      return;
    }
    for (int spin = 0; spin < kSpins; ++spin) {
      if (phase_.load(std::memory_order_acquire) != phase) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    phase_.wait(phase, std::memory_order_acquire);
  }

 private:
  static constexpr int kSpins = 2000;  // some 50 microseconds

  alignas(128) std::atomic<uint32_t> phase_{0};
  alignas(128) std::atomic<int> arrived_{0};
};

}  // namespace firth

#endif  // FIRTH_BASE_TEAM_BARRIER_H_
