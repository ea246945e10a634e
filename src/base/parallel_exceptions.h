// Exceptions of the threads of a parallel region. OpenMP ends the process where
// one leaves the region; so each thread catches its own, as for want of memory,
// and the thread that started the region throws the first of them behind it.

#ifndef FIRTH_BASE_PARALLEL_EXCEPTIONS_H_
#define FIRTH_BASE_PARALLEL_EXCEPTIONS_H_

#include <exception>

namespace firth {

class ParallelExceptions {
 public:
  // Does the work, and keeps what it throws. By any thread of the region.
  template <class Work>
  void Catch(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
#pragma omp critical(firth_parallel_exceptions)
      if (first_ == nullptr) first_ = std::current_exception();
    }
  }

  // Behind the region: throws what was kept, if anything was.
  void Rethrow() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace firth

#endif  // FIRTH_BASE_PARALLEL_EXCEPTIONS_H_
