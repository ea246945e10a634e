// The number of threads that an option requests, and when threads run.

#ifndef FIRTH_BASE_THREADS_H_
#define FIRTH_BASE_THREADS_H_

#include <omp.h>

namespace firth {

// Returns the number of threads that an option requests; 0 is for one per core.
inline int NumThreads(int wanted) {
  return wanted > 0 ? wanted : omp_get_num_procs();
}

// Asks the system to run the calling thread soon after it wakes while other
// threads keep all cores busy. This is for a thread that works occasionally
// while others wait for it. Linux honors the request since 6.12 and ignores it
// before. It requires no privilege, and gives the thread no larger share of a
// core.
void WakeSoon();

}  // namespace firth

#endif  // FIRTH_BASE_THREADS_H_
