// TableOf<Value>: a read-only matrix, owned or memory-mapped.

#ifndef FIRTH_MATRIX_H_
#define FIRTH_MATRIX_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace firth {

// A cheap handle: copies share the memory, which lives as long as one of them.
// Row r is the `cols` values from data() + r * stride(); what lies between
// cols() and stride() is not part of the table.
template <class Value>
class TableOf {
 public:
  TableOf() = default;

  // `owner` keeps `data` alive: [rows, stride] values, of which `cols` count.
  TableOf(const Value* data, size_t rows, size_t cols, size_t stride,
          std::shared_ptr<const void> owner)
      : data_(data),
        rows_(rows),
        cols_(cols),
        stride_(stride),
        owner_(std::move(owner)) {}

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t stride() const { return stride_; }
  const Value* data() const { return data_; }
  absl::Span<const Value> Row(size_t row) const {
    return {data_ + row * stride_, cols_};
  }
  // `count` rows from `first`.
  TableOf Rows(size_t first, size_t count) const {
    return {data_ + first * stride_, count, cols_, stride_, owner_};
  }

 private:
  const Value* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
  std::shared_ptr<const void> owner_;
};

using FloatTable = TableOf<float>;

}  // namespace firth

#endif  // FIRTH_MATRIX_H_
