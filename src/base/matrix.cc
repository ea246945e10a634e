#include "base/matrix.h"

#include <sys/mman.h>

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

std::shared_ptr<void> MapHugePages(size_t bytes) {
  // Room to start at the border of a huge page.
  const size_t mapped = RoundUp(bytes, kHugePage) + kHugePage;
  void* const start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  const std::shared_ptr<void> owner(
      start, [mapped](void* memory) { munmap(memory, mapped); });
  const auto address = reinterpret_cast<uintptr_t>(start);
  char* const aligned =
      static_cast<char*>(start) + (RoundUp(address, kHugePage) - address);
  madvise(aligned, RoundUp(bytes, kHugePage), MADV_HUGEPAGE);
  return {owner, aligned};
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
