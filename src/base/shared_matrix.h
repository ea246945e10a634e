// SharedMatrix: a table that all workers read and write without locks.
//
// Hogwild (Niu et al. 2011) accepts that some updates of shared rows are lost.
// This race is confined to one place: a SharedRow gives no access to its
// elements, and only simd/shared_row-inl.h touches the memory.

#ifndef FIRTH_BASE_SHARED_MATRIX_H_
#define FIRTH_BASE_SHARED_MATRIX_H_

#include <cstddef>
#include <utility>

#include "base/matrix.h"

namespace firth {

// A row of a SharedMatrix. It is 64-byte aligned and padded to a multiple of
// 16, unless the matrix has no padding.
class SharedRow {
 public:
  SharedRow() = default;
  explicit SharedRow(float* data) : data_(data) {}
  float* UnsafeData() const { return data_; }

 private:
  float* data_ = nullptr;
};

class SharedMatrix {
 public:
  SharedMatrix() = default;
  // Takes a matrix that no other thread uses yet.
  explicit SharedMatrix(PaddedMatrix matrix) : matrix_(std::move(matrix)) {}

  size_t rows() const { return matrix_.rows(); }
  size_t cols() const { return matrix_.cols(); }
  size_t stride() const { return matrix_.stride(); }
  SharedRow Row(size_t row) { return SharedRow(matrix_.Row(row)); }
  // Returns the address of row 0, to compute the addresses of rows.
  float* data() { return matrix_.data(); }

  // Returns the matrix, after all workers are done.
  PaddedMatrix Release() && { return std::move(matrix_); }
  // Gives access for reading and writing while no worker runs.
  PaddedMatrix& Quiet() { return matrix_; }
  const PaddedMatrix& Quiet() const { return matrix_; }

 private:
  PaddedMatrix matrix_;
};

}  // namespace firth

#endif  // FIRTH_BASE_SHARED_MATRIX_H_
