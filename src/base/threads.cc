#include "base/threads.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace firth {
namespace {

constexpr uint64_t kSliceNanoseconds = 100'000;

// Defined by the kernel; the C library has no header for it.
struct SchedulingAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
};

}  // namespace

// A thread that wakes up runs before another whose slice ends later. The
// function therefore requests the shortest possible slice.
void WakeSoon() {
  SchedulingAttributes attributes{};
  constexpr auto kSize = static_cast<uint32_t>(sizeof(attributes));
  if (syscall(SYS_sched_getattr, 0, &attributes, kSize, 0) != 0) return;
  // Other policies were chosen by the user, and runtime has another meaning for
  // them.
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime = kSliceNanoseconds;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace firth
