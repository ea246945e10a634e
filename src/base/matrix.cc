#include "base/matrix.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace firth {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Starts at the boundary of a huge page. Does not extend to the end of the last
// huge page, which would waste memory.
std::shared_ptr<void> MapHugePages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t used = RoundUp(bytes, page);
  const size_t mapped = used + kHugePage;
  void* const start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<uintptr_t>(start);
  const size_t before = RoundUp(address, kHugePage) - address;
  char* const aligned = static_cast<char*>(start) + before;
  if (before > 0) munmap(start, before);
  if (before < kHugePage) munmap(aligned + used, kHugePage - before);
  madvise(aligned, used, MADV_HUGEPAGE);
  return {aligned, [used](void* memory) { munmap(memory, used); }};
}

}  // namespace

std::shared_ptr<void> AllocateZeroed(size_t bytes) {
  if (bytes >= 2 * kHugePage) return MapHugePages(bytes);
  const size_t rounded = RoundUp(bytes > 0 ? bytes : 1, kCacheLine);
  void* const memory = std::aligned_alloc(kCacheLine, rounded);
  if (memory == nullptr) return nullptr;
  std::memset(memory, 0, rounded);
  return {memory, &std::free};
}

}  // namespace firth
