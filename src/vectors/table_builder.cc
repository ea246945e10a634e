#include "vectors/table_builder.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/aligned_matrix.h"
#include "base/memory_info.h"
#include "base/saturated.h"

namespace firth {

absl::StatusOr<TableBuilder> TableBuilder::Create(absl::string_view place,
                                                  size_t rows, size_t cols) {
  TableBuilder builder;
  builder.rows_ = rows;
  builder.cols_ = cols;
  builder.stride_ = PaddedDim(cols);
  const uint64_t bytes =
      MultiplySaturated(rows, builder.stride_ * sizeof(float));
  const uint64_t available = AvailableMemoryBytes();
  if (bytes <= available) {
    builder.data_ = MapFloats(rows * builder.stride_);
  }
  if (builder.data_ == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat(place, ": [", rows, ", ", cols, "] values need ", bytes,
                     " bytes of memory, found ", available));
  }
  return builder;
}

FloatTable TableBuilder::Build() && {
  const float* data = data_.get();
  return FloatTable(data, rows_, cols_, stride_, std::move(data_));
}

}  // namespace firth
