#include "vectors/allocate_table.h"

#include <cstdint>
#include <new>

#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "base/saturated.h"

namespace firth {

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
