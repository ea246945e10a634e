// A value that is created on first use.

#ifndef FIRTH_BASE_LAZY_H_
#define FIRTH_BASE_LAZY_H_

#include <atomic>
#include <mutex>
#include <optional>

namespace firth {

// Thread-safe: the first thread that calls Get() creates the value, and others
// wait for it. Afterwards a call costs one load.
template <class T>
class Lazy {
 public:
  // make() returns the value. It is called again if it threw.
  template <class Make>
  const T& Get(const Make& make) const {
    const T* const made = made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : MakeOnce(make);
  }

 private:
  template <class Make>
  const T& MakeOnce(const Make& make) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!value_.has_value()) value_.emplace(make());
    made_.store(&*value_, std::memory_order_release);
    return *value_;
  }

  mutable std::mutex mutex_;  // Guards value_ until made_ is set.
  mutable std::optional<T> value_;
  mutable std::atomic<const T*> made_ = nullptr;
};

}  // namespace firth

#endif  // FIRTH_BASE_LAZY_H_
