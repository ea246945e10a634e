#include "base/memory_info.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/saturated.h"

namespace firth {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Returns the number after `key` in a file of "key: number" or "key number"
// lines. If `key` is empty, returns the first number of the file.
std::optional<uint64_t> ReadNumber(const std::string& path,
                                   const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (!key.empty() && file >> word && word != key) continue;
  uint64_t value;
  if (file >> value) return value;
  return std::nullopt;
}

uint64_t MachineAvailable() {
  const auto kib = ReadNumber("/proc/meminfo", "MemAvailable:");
  if (kib.has_value()) return *kib * 1024;
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Returns how much memory a control group may still allocate. `usage` includes
// the page cache, so the part that the kernel could reclaim immediately is
// subtracted. Otherwise a large file that was just read would look like memory
// in use.
uint64_t GroupAvailable(const std::string& folder, const std::string& limit,
                        const std::string& usage, const std::string& prefix) {
  const auto most = ReadNumber(folder + limit, "");
  const auto used = ReadNumber(folder + usage, "");
  if (!most.has_value() || !used.has_value()) return kUnlimited;
  const std::string stat = folder + "memory.stat";
  const uint64_t cached =
      ReadNumber(stat, prefix + "active_file").value_or(0) +
      ReadNumber(stat, prefix + "inactive_file").value_or(0);
  const uint64_t taken = *used > cached ? *used - cached : 0;
  return *most > taken ? *most - taken : 0;
}

uint64_t AddressSpaceAvailable() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUnlimited;
  }
  const uint64_t used = ReadNumber("/proc/self/statm", "").value_or(0) *
                        static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

uint64_t AvailableMemoryBytes() {
  const std::string group = "/sys/fs/cgroup/";
  return std::min({MachineAvailable(),
                   GroupAvailable(group, "memory.max", "memory.current", ""),
                   GroupAvailable(group + "memory/", "memory.limit_in_bytes",
                                  "memory.usage_in_bytes", "total_"),
                   AddressSpaceAvailable()});
}

absl::Status CheckMemoryFor(absl::string_view work, uint64_t bytes) {
  const uint64_t available = AvailableMemoryBytes();
  if (bytes <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(work, " needs ", bytes, " bytes of memory, but only ",
                   available, " are available"));
}

uint64_t ResidentMemoryBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

uint64_t PeakMemoryBytes() {
  // getrusage() is not suitable. It counts memory from before exec, when this
  // process was a copy of its parent.
  return ReadNumber("/proc/self/status", "VmHWM:").value_or(0) * 1024;
}

// Only one thread may call malloc_trim() at a time. With another allocator (of
// a sanitizer, or preloaded), this is the first call into the C library's
// allocator, and it is not thread-safe.
void GiveBackFreeMemory() {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  malloc_trim(0);
}

absl::StatusOr<PaddedMatrix> AllocateTable(absl::string_view place, size_t rows,
                                           size_t cols) {
  const uint64_t bytes =
      MultiplySaturated(rows, PaddedStride<float>(cols) * sizeof(float));
  const uint64_t available = AvailableMemoryBytes();
  if (bytes <= available) {
    try {
      return PaddedMatrix(rows, cols);
    } catch (const std::bad_alloc&) {
    }
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(place, ": [", rows, ", ", cols, "] values need ", bytes,
                   " bytes of memory, but only ", available, " are available"));
}

}  // namespace firth
