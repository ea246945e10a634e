// The number of threads that an option requests.

#ifndef FIRTH_BASE_THREADS_H_
#define FIRTH_BASE_THREADS_H_

#include <omp.h>

namespace firth {

// `wanted` is 0 for one thread per core.
inline int NumThreads(int wanted) {
  return wanted > 0 ? wanted : omp_get_num_procs();
}

}  // namespace firth

#endif  // FIRTH_BASE_THREADS_H_
