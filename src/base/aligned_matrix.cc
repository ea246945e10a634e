#include "base/aligned_matrix.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace firth {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::unique_ptr<float[], decltype(&std::free)> AllocateFloats(size_t count) {
  const size_t bytes = count * sizeof(float);
  const bool huge = bytes >= 2 * kHugePage;
  const size_t alignment = huge ? kHugePage : kCacheLine;
  const size_t rounded = RoundUp(bytes > 0 ? bytes : 1, alignment);
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory != nullptr) {
    // Rows are visited at random: 4 KiB pages would cost a page walk each.
    if (huge) madvise(memory, rounded, MADV_HUGEPAGE);
    std::memset(memory, 0, rounded);
  }
  return {static_cast<float*>(memory), &std::free};
}

std::shared_ptr<float> MapFloats(size_t count) {
  const size_t bytes = count * sizeof(float);
  if (bytes < 2 * kHugePage) {
    return {AllocateFloats(count).release(), &std::free};
  }
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
  return {owner, reinterpret_cast<float*>(aligned)};
}

AlignedMatrix::AlignedMatrix(size_t rows, size_t dim)
    : data_(AllocateFloats(rows * PaddedDim(dim))), rows_(rows), dim_(dim) {
  if (data_ == nullptr) throw std::bad_alloc();
}

}  // namespace firth
