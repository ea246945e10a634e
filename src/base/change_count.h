// ChangeCount lets the threads of a team wait for each other thousands of times
// per second.
//
// A waiting thread spins for a moment, since the change is usually about to
// come, and then sleeps. If a thread has lost its core to another program,
// threads that kept spinning would occupy the cores that it could run on.
// (GCC's OpenMP spins for milliseconds: next to another busy program, rounds
// took 20 times as long.)

#ifndef FIRTH_BASE_CHANGE_COUNT_H_
#define FIRTH_BASE_CHANGE_COUNT_H_

#include <atomic>
#include <cstdint>

namespace firth {

class ChangeCount {
 public:
  // Returns the count, for Await(). A thread must call this before it checks
  // whether what it waits for has happened. It then misses no change that
  // happens in between.
  uint32_t Seen() const { return count_.load(std::memory_order_acquire); }

  // Signals a change. Everything that this thread wrote before is visible to
  // the threads that it wakes.
  void Tell() {
    // Sequentially consistent, like the check in notify_all() whether anybody
    // sleeps. A weaker change might become visible only after that check, to a
    // thread that has fallen asleep meanwhile and would then sleep forever.
    count_.fetch_add(1, std::memory_order_seq_cst);
    count_.notify_all();
  }

  // Waits until something has changed since Seen() returned `seen`.
  void Await(uint32_t seen) const {
    constexpr int kSpins = 2000;  // About 50 microseconds.
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
