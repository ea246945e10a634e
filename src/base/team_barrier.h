// TeamBarrier: a point at which the threads of a team wait for each other.

#ifndef FIRTH_BASE_TEAM_BARRIER_H_
#define FIRTH_BASE_TEAM_BARRIER_H_

#include <atomic>
#include <cstdint>

#include "base/change_count.h"

namespace firth {

class TeamBarrier {
 public:
  // Returns when `team` threads have called it. The last of them calls
  // complete() before any returns. What a thread wrote before is visible to all
  // threads afterwards.
  template <class Complete>
  void Wait(int team, const Complete& complete) {
    const uint32_t phase = phases_.Seen();
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
      complete();
      arrived_.store(0, std::memory_order_relaxed);
      phases_.Tell();
      return;
    }
    phases_.Await(phase);
  }

 private:
  alignas(128) ChangeCount phases_;
  alignas(128) std::atomic<int> arrived_{0};
};

}  // namespace firth

#endif  // FIRTH_BASE_TEAM_BARRIER_H_
