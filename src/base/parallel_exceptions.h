// Exceptions in the threads of a parallel region. OpenMP ends the process if an
// exception leaves the region, for example because memory is exhausted. So each
// thread catches its own exceptions, and the thread that started the region
// throws the first of them again after the region.

#ifndef FIRTH_BASE_PARALLEL_EXCEPTIONS_H_
#define FIRTH_BASE_PARALLEL_EXCEPTIONS_H_

#include <exception>

namespace firth {

class ParallelExceptions {
 public:
  // Runs `work` and stores what it throws. Any thread of the region may call
  // it.
  template <class Work>
  void Catch(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
#pragma omp critical(firth_parallel_exceptions)
      if (first_ == nullptr) first_ = std::current_exception();
    }
  }

  // Throws the stored exception, if there is one. Call it after the region.
  void Rethrow() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace firth

#endif  // FIRTH_BASE_PARALLEL_EXCEPTIONS_H_
