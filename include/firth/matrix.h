// View, ConstView and Table: matrices stored row by row.

#ifndef FIRTH_MATRIX_H_
#define FIRTH_MATRIX_H_

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace firth {

// A matrix [rows, cols] in memory owned by someone else. Row r begins at data()
// + r * stride().
template <class T>
class View {
 public:
  View() = default;
  View(T* data, size_t rows, size_t cols, size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  View(T* data, size_t rows, size_t cols) : View(data, rows, cols, cols) {}
  // Converts a mutable view to a const one.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  View(const View<U>& other)
      : View(other.data(), other.rows(), other.cols(), other.stride()) {}

  bool empty() const { return rows_ == 0 || cols_ == 0; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t stride() const { return stride_; }
  T* data() const { return data_; }
  T* Row(size_t row) const { return data_ + row * stride_; }
  View Rows(size_t first, size_t count) const {
    return {Row(first), count, cols_, stride_};
  }
  View Cols(size_t first, size_t count) const {
    return {data_ + first, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
};

template <class T>
using ConstView = View<const T>;

// A read-only matrix whose copies share ownership of its memory; cheap to copy.
// Values between cols() and stride() are not part of the table.
template <class T>
class Table : public ConstView<T> {
 public:
  Table() = default;
  // `owner` keeps the memory alive. If it is null, the caller must.
  explicit Table(ConstView<T> values,
                 std::shared_ptr<const void> owner = nullptr)
      : ConstView<T>(values), owner_(std::move(owner)) {}

  // Takes values stored row by row without gaps.
  Table(std::vector<T> values, size_t cols)
      : Table(std::make_shared<const std::vector<T>>(std::move(values)), cols) {
  }

  absl::Span<const T> Row(size_t row) const {
    return {ConstView<T>::Row(row), this->cols()};
  }
  Table Rows(size_t first, size_t count) const {
    return Table(ConstView<T>::Rows(first, count), owner_);
  }

 private:
  Table(std::shared_ptr<const std::vector<T>> values, size_t cols)
      : Table(ConstView<T>(values->data(), values->size() / cols, cols),
              values) {}

  std::shared_ptr<const void> owner_;
};

using FloatTable = Table<float>;

}  // namespace firth

#endif  // FIRTH_MATRIX_H_
