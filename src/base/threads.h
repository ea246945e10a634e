// How many threads an option asks for.

#ifndef FIRTH_BASE_THREADS_H_
#define FIRTH_BASE_THREADS_H_

#include <omp.h>

namespace firth {

// wanted: 0 for as many as cores are there.
inline int NumThreads(int wanted) {
  return wanted > 0 ? wanted : omp_get_num_procs();
}

}  // namespace firth

#endif  // FIRTH_BASE_THREADS_H_
