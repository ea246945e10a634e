// ChangeCount: waiting for another thread of a team, thousands of times a
// second.
//
// A thread that waits spins for a moment, since the other is about to come, and
// then sleeps: one that has lost its core to another program would be waited
// for by threads that take the cores it might have. (GCC's OpenMP spins for
// milliseconds: beside another busy program rounds took 20 times as long.)

#ifndef FIRTH_BASE_CHANGE_COUNT_H_
#define FIRTH_BASE_CHANGE_COUNT_H_

#include <atomic>
#include <cstdint>

namespace firth {

class ChangeCount {
 public:
  // The count, for Await(). A thread asks for it before it looks whether what
  // it waits for has come, and so misses no change that comes in between.
  uint32_t Seen() const { return count_.load(std::memory_order_acquire); }

  // Says that something has changed. What the thread wrote before is seen by
  // those whom it wakes.
  void Tell() {
    // Sequentially consistent, as is notify_all()'s look whether anybody
    // sleeps: a weaker change may be seen only after that look, by a thread
    // that has fallen asleep meanwhile, and would sleep for ever.
    count_.fetch_add(1, std::memory_order_seq_cst);
    count_.notify_all();
  }

  // Returns when something has changed since Seen() returned `seen`.
  void Await(uint32_t seen) const {
    constexpr int kSpins = 2000;  // some 50 microseconds
    for (int spin = 0; spin < kSpins; ++spin) {
      if (Seen() != seen) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    count_.wait(seen, std::memory_order_acquire);
  }

 private:
  std::atomic<uint32_t> count_{0};
};

}  // namespace firth

#endif  // FIRTH_BASE_CHANGE_COUNT_H_
