// Setting the number of threads that OpenMP or the system starts, for the time
// of a test.

#ifndef FIRTH_TESTS_SUPPORT_THREADS_H_
#define FIRTH_TESTS_SUPPORT_THREADS_H_

#include <omp.h>
#include <pthread.h>

#include <cstddef>

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

// No thread can be started: none has room for its stack.
class ScopedNoThreads {
 public:
  ScopedNoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~ScopedNoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  ScopedNoThreads(const ScopedNoThreads&) = delete;
  ScopedNoThreads& operator=(const ScopedNoThreads&) = delete;

 private:
  const ScopedThreads one_{1};  // libgomp ends the program without a thread.
  pthread_attr_t before_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_THREADS_H_
