// Matrix: numbers in rows, in memory that it owns.
//
// There are three related types. A View (firth/matrix.h) is a matrix in memory
// that it does not own, a Matrix owns its memory, and a table shares it with
// other tables. All of them have rows, cols, and a stride, which is the
// distance from the start of one row to the next, in numbers.

#ifndef FIRTH_BASE_MATRIX_H_
#define FIRTH_BASE_MATRIX_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "firth/matrix.h"

namespace firth {

// Reports a failed allocation that did not use operator new: throws
// std::bad_alloc, after calling the program's new handler, if there is one. The
// handler may end the program.
[[noreturn]] inline void ThrowNoMemory() {
  const std::new_handler handler = std::get_new_handler();
  if (handler != nullptr) handler();
  throw std::bad_alloc();
}

constexpr size_t kRowBytes = 64;
constexpr size_t kRowFloats = kRowBytes / sizeof(float);

// Layout of the rows of a Matrix: without gaps, or each on a 64-byte boundary.
// The gaps are filled with zeros, so that kernels may read up to the boundary
// and need no remainder loop.
enum RowLayout { kDenseRows, kPaddedRows };

// Requests a padded matrix without padding, for tables whose padding would take
// too much memory. kRowBytes after the last row may still be read.
struct WithoutPadding {};

// Returns the distance from one padded row to the next, in numbers.
template <class T>
constexpr size_t PaddedStride(size_t cols) {
  constexpr size_t kRow = kRowBytes / sizeof(T);
  return (cols + kRow - 1) / kRow * kRow;
}

// Returns zeroed memory on a 64-byte boundary, or null if there is not enough.
// From 4 MiB on it consists of pages of the system, and of huge pages if the
// system has them: rows are accessed at random, and with small pages each
// access would walk the page tables. The system zeroes each page when it is
// first touched, so each thread zeroes the part that it fills, and unused pages
// take no memory.
std::shared_ptr<void> AllocateZeroed(size_t bytes);

// A matrix [rows, cols]. Movable. Can be converted to a table, which then owns
// the memory.
template <class T, RowLayout layout = kDenseRows>
class Matrix {
 public:
  Matrix() = default;
  // Creates zeros. Throws std::bad_alloc if there is not enough memory. Sizes
  // are checked before (see AllocateTable, MemoryEstimate).
  Matrix(size_t rows, size_t cols)
      : rows_(rows), cols_(cols), stride_(Stride(cols)) {
    Allocate();
  }
  Matrix(size_t rows, size_t cols,
         WithoutPadding) requires(layout == kPaddedRows)
      : rows_(rows), cols_(cols), stride_(cols) {
    Allocate(kRowBytes);
  }
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(Matrix&&) noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator Table<T>() && {
    const ConstView<T> values = view();
    return Table<T>(values, std::move(data_));
  }

  // Keeps the memory if it is large enough. The contents are unspecified
  // afterwards.
  void Resize(size_t rows, size_t cols) requires(layout == kDenseRows) {
    rows_ = rows;
    cols_ = cols;
    stride_ = Stride(cols);
    if (size() > capacity_) Allocate();
  }
  void Fill(T value) { std::fill_n(data(), size(), value); }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t stride() const { return stride_; }
  // Numbers in memory, including the padding.
  size_t size() const { return rows_ * stride(); }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* Row(size_t row) { return data() + row * stride(); }
  const T* Row(size_t row) const { return data() + row * stride(); }
  View<T> view() { return {data(), rows_, cols_, stride()}; }
  ConstView<T> view() const { return {data(), rows_, cols_, stride()}; }

 private:
  static constexpr size_t Stride(size_t cols) {
    return layout == kPaddedRows ? PaddedStride<T>(cols) : cols;
  }

  void Allocate(size_t bytes_behind = 0) {
    // Freed first, so that old and new memory never exist together.
    data_.reset();
    data_ = std::static_pointer_cast<T>(
        AllocateZeroed(size() * sizeof(T) + bytes_behind));
    if (data_ == nullptr) ThrowNoMemory();
    capacity_ = size();
  }

  std::shared_ptr<T> data_;
  size_t capacity_ = 0;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
};

// The matrices that the kernels work on.
using PaddedMatrix = Matrix<float, kPaddedRows>;

}  // namespace firth

#endif  // FIRTH_BASE_MATRIX_H_
