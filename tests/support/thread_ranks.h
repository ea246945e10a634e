// Ranks that are threads of one process, so that what ranks do together is
// tested without MPI.

#ifndef FIRTH_TESTS_SUPPORT_THREAD_RANKS_H_
#define FIRTH_TESTS_SUPPORT_THREAD_RANKS_H_

#include <functional>

#include "firth/ranks.h"

namespace firth {

// Runs `work` on `size` threads at once, each with ranks of its own, and waits
// for all of them. Exceptions are not caught.
void RunRanks(int size, const std::function<void(Ranks&)>& work);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_THREAD_RANKS_H_
