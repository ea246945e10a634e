// Matrix: numbers in rows, in memory of its own.
//
// The family: a View (firth/matrix.h) is a matrix in someone else's memory, a
// Matrix owns its memory, and a table shares it with other tables. All of them
// have rows, cols, and a stride: the numbers from one row's start to the next.

#ifndef FIRTH_BASE_MATRIX_H_
#define FIRTH_BASE_MATRIX_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/no_memory.h"
#include "firth/matrix.h"

namespace firth {

constexpr size_t kRowBytes = 64;
constexpr size_t kRowFloats = kRowBytes / sizeof(float);

// Where the rows of a Matrix start: without gaps between them, or each on a
// 64-byte border. Zeros fill what is between, so that kernels may read on to
// the border and have no loop for what is left.
enum RowLayout { kDenseRows, kPaddedRows };

// Says of a padded matrix that it has no padding, but kRowBytes behind its last
// row that may be read: of tables whose padding would be too dear.
struct WithoutPadding {};

// The numbers from one padded row to the next.
template <class T>
constexpr size_t PaddedStride(size_t cols) {
  constexpr size_t kRow = kRowBytes / sizeof(T);
  return (cols + kRow - 1) / kRow * kRow;
}

// Zeroed memory on a 64-byte border; null when there is none. From 4 MiB on it
// is pages of the system, huge ones where it has them, as rows are visited at
// random and each small page would cost a walk through page tables. The system
// zeroes them one by one when they are first touched: by the threads that fill
// them, each its own part, and never where nobody does.
std::shared_ptr<void> AllocateZeroed(size_t bytes);

// [rows, cols]. Movable. Becomes a table, which then owns the memory.
template <class T, RowLayout layout = kDenseRows>
class Matrix {
 public:
  Matrix() = default;
  // Zeros. Throws std::bad_alloc when there is no memory: sizes are checked
  // before (see AllocateTable, MemoryEstimate).
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

  // Keeps the memory if it is large enough; what it holds is arbitrary then.
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
  // Numbers in memory, those between the rows included.
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
    data_.reset();  // first, so that both are never there at once
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

// What the kernels work on.
using PaddedMatrix = Matrix<float, kPaddedRows>;

}  // namespace firth

#endif  // FIRTH_BASE_MATRIX_H_
