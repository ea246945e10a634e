// Objects that are expensive to create and that one thread at a time uses, such
// as buffers and compiled patterns.

#ifndef FIRTH_BASE_SPARES_H_
#define FIRTH_BASE_SPARES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace firth {

// Keeps a few unused objects for the next user. Thread-safe, without locks.
// A thread usually gets the object back that it used last.
template <class T>
class Spares {
 public:
  Spares() = default;
  ~Spares() {
    for (std::atomic<T*>& spare : spares_) delete spare.load();
  }
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  // An object that returns to the spares when its user is done. Borrows the
  // spares.
  class Loan {
   public:
    Loan(Spares* spares, std::unique_ptr<T> object)
        : spares_(spares), object_(std::move(object)) {}
    ~Loan() { spares_->Keep(std::move(object_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    T* get() const { return object_.get(); }
    T* operator->() const { return object_.get(); }

   private:
    Spares* spares_;
    std::unique_ptr<T> object_;
  };

  // Returns a spare object, or the result of make(), a std::unique_ptr<T>.
  template <class Make>
  Loan Borrow(const Make& make) {
    const size_t first = FirstPlace();
    for (size_t i = 0; i < kMost; ++i) {
      std::atomic<T*>& spare = spares_[(first + i) % kMost];
      if (spare.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* const object = spare.exchange(nullptr)) {
        return Loan(this, std::unique_ptr<T>(object));
      }
    }
    return Loan(this, make());
  }

 private:
  static constexpr size_t kMost = 16;

  static size_t FirstPlace() {
    return std::hash<std::thread::id>()(std::this_thread::get_id()) % kMost;
  }

  // Deletes the object if there are enough spares.
  void Keep(std::unique_ptr<T> object) {
    const size_t first = FirstPlace();
    for (size_t i = 0; i < kMost && object != nullptr; ++i) {
      T* none = nullptr;
      if (spares_[(first + i) % kMost].compare_exchange_strong(none,
                                                               object.get())) {
        (void)object.release();
      }
    }
  }

  std::array<std::atomic<T*>, kMost> spares_ = {};
};

}  // namespace firth

#endif  // FIRTH_BASE_SPARES_H_
