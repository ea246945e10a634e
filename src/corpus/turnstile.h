// Turnstile: lets the blocks of parallel workers through in their order.

#ifndef FIRTH_CORPUS_TURNSTILE_H_
#define FIRTH_CORPUS_TURNSTILE_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace firth {

// Every ticket from 0 on must pass exactly once, or later ones wait for ever.
class Turnstile {
 public:
  // Waits until all tickets before `ticket` are through, then runs `work`,
  // which must not throw, alone.
  template <class Work>
  void Pass(uint64_t ticket, const Work& work) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      moved_.wait(lock, [&] { return next_ == ticket; });
    }
    work();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++next_;
    }
    moved_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  uint64_t next_ = 0;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_TURNSTILE_H_
