#include "base/aligned_matrix.h"

#include <sys/mman.h>

#include <cstring>

#include "base/check.h"

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

AlignedMatrix::AlignedMatrix(size_t rows, size_t dim)
    : data_(AllocateFloats(rows * PaddedDim(dim))), rows_(rows), dim_(dim) {
  FIRTH_CHECK(data_ != nullptr);
}

}  // namespace firth
