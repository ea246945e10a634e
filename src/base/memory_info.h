// The memory that this process uses and may still allocate.

#ifndef FIRTH_BASE_MEMORY_INFO_H_
#define FIRTH_BASE_MEMORY_INFO_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"

namespace firth {

// Returns the available bytes: the minimum of the free memory of the machine
// (caches count as free), of the rest of the control group's limit (version 2,
// then 1), and of the rest of RLIMIT_AS.
uint64_t AvailableMemoryBytes();

// Checks that the memory for some work is available, before it starts. Errors:
// ResourceExhausted, "WORK needs N bytes of memory, found M".
absl::Status CheckMemoryFor(absl::string_view work, uint64_t bytes);

// Returns the resident memory of this process, in bytes.
uint64_t ResidentMemoryBytes();

// Returns the maximum resident memory of this process so far, in bytes.
uint64_t PeakMemoryBytes();

// Returns unused memory of the allocator to the system. Call it after work on
// many small objects and before allocating a few large tables. Thread-safe.
void GiveBackFreeMemory();

// Memory for a table that is about to be filled.

// Returns zeros of a size that comes from outside, such as a file's header or a
// user's option. Errors: ResourceExhausted if they do not fit into memory; the
// message starts with `place`.
absl::StatusOr<PaddedMatrix> AllocateTable(absl::string_view place, size_t rows,
                                           size_t cols);

}  // namespace firth

#endif  // FIRTH_BASE_MEMORY_INFO_H_
