// How much memory this process has and may still take.

#ifndef FIRTH_BASE_MEMORY_INFO_H_
#define FIRTH_BASE_MEMORY_INFO_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Bytes available: the least of what the machine has free (caches count as
// free), what is left of the control group's limit (version 2, then 1), and
// what is left of RLIMIT_AS.
uint64_t AvailableMemoryBytes();

// Checks before some work that the memory it will take is available. Errors:
// ResourceExhausted, "WORK needs N bytes of memory, found M".
absl::Status CheckMemoryFor(absl::string_view work, uint64_t bytes);

// The memory that this process has resident now, in bytes.
uint64_t ResidentMemoryBytes();

// The most memory this process has had resident so far, in bytes.
uint64_t PeakMemoryBytes();

// Gives back to the system what the allocator keeps for later: to be called
// between work on many small things and a few large tables. Thread-safe.
void GiveBackFreeMemory();

}  // namespace firth

#endif  // FIRTH_BASE_MEMORY_INFO_H_
