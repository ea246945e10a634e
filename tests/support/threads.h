// Setting the number of OpenMP threads for the time of a test.

#ifndef FIRTH_TESTS_SUPPORT_THREADS_H_
#define FIRTH_TESTS_SUPPORT_THREADS_H_

#include <omp.h>

namespace firth {

class ScopedThreads {
 public:
  explicit ScopedThreads(int count) : before_(omp_get_max_threads()) {
    omp_set_num_threads(count);
  }
  ~ScopedThreads() { omp_set_num_threads(before_); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;

 private:
  int before_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_THREADS_H_
