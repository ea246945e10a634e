// TeamBarrier: where the threads of a team wait for each other.

#ifndef FIRTH_BASE_TEAM_BARRIER_H_
#define FIRTH_BASE_TEAM_BARRIER_H_

#include <atomic>
#include <cstdint>

#include "base/await_change.h"

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
    AwaitChange(phase_, phase);
  }

 private:
  alignas(128) std::atomic<uint32_t> phase_{0};
  alignas(128) std::atomic<int> arrived_{0};
};

}  // namespace firth

#endif  // FIRTH_BASE_TEAM_BARRIER_H_
