// Turnstile: admits the blocks of parallel workers in order.

#ifndef FIRTH_CORPUS_TURNSTILE_H_
#define FIRTH_CORPUS_TURNSTILE_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace firth {

// Every ticket from 0 on must pass exactly once; otherwise later ones wait
// forever.
class Turnstile {
 public:
  // Waits until all earlier tickets have passed, then runs `work`, which must
  // not throw, exclusively.
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
