#include "base/memory_info.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace firth {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// The number after `key` in a file of "key: number" or "key number" lines; with
// an empty key, the file's first number.
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

// What a control group may still take. `usage` counts the page cache too, so
// what the kernel would give back at once is subtracted from it: without that,
// a large file that was just read looks like memory in use.
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
  // Not of getrusage(): that counts what the process had before it became this
  // program, when it was a copy of the one that started it.
  return ReadNumber("/proc/self/status", "VmHWM:").value_or(0) * 1024;
}

// One caller at a time: where another allocator stands before it (a
// sanitizer's, a preloaded one), this is the first call of the C library's, and
// not thread-safe.
void GiveBackFreeMemory() {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  malloc_trim(0);
}

}  // namespace firth
