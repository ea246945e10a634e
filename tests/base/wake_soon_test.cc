#include "base/threads.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "gtest/gtest.h"

namespace firth {
namespace {

// The slice of the calling thread in nanoseconds; 0 where Linux does not tell.
uint64_t Slice() {
  uint64_t attributes[6] = {};  // runtime is the fourth
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, attributes, sizeof(attributes), 0),
            0);
  return attributes[3];
}

TEST(WakeSoonTest, MakesTheSliceShortAndNothingElse) {
  std::thread([] {
    const uint64_t before = Slice();
    const int nice = getpriority(PRIO_PROCESS, 0);
    const int policy = sched_getscheduler(0);
    WakeSoon();
    if (before > 0 && policy == SCHED_OTHER) {
      EXPECT_EQ(Slice(), 100'000u);
    }
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), nice);
    EXPECT_EQ(sched_getscheduler(0), policy);
  }).join();
}

TEST(WakeSoonTest, LeavesAPolicyThatSomebodyHasChosen) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    const uint64_t before = Slice();
    WakeSoon();
    EXPECT_EQ(Slice(), before);
    EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  }).join();
}

}  // namespace
}  // namespace firth
