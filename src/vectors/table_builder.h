// A FloatTable in the making.

#ifndef FIRTH_VECTORS_TABLE_BUILDER_H_
#define FIRTH_VECTORS_TABLE_BUILDER_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/matrix.h"

namespace firth {

// A table in memory of its own, to be filled row by row (by several threads).
class TableBuilder {
 public:
  // Zeroed. Errors: ResourceExhausted, which starts with `place`.
  static absl::StatusOr<TableBuilder> Create(absl::string_view place,
                                             size_t rows, size_t cols);
  float* Row(size_t row) { return data_.get() + row * stride_; }
  size_t cols() const { return cols_; }
  size_t stride() const { return stride_; }
  FloatTable Build() &&;

 private:
  std::shared_ptr<float> data_;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
};

}  // namespace firth

#endif  // FIRTH_VECTORS_TABLE_BUILDER_H_
