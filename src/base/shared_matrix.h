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

// A shared table as seen by one of several workers.
//
// Some rows are written by every worker all the time: the nodes near the root
// of a tree, the weights of positions, the words most often drawn as noise.
// Each write removes the row from the other cores' caches, and they wait to get
// it back; two threads on a tree were slower than one. So a worker keeps its
// own copies of these rows, updates the copies, and exchanges its changes with
// the shared rows every few hundred or thousand words (shared += own - base;
// simd/row_ops-inl.h). All other rows are shared (Hogwild; Niu et al. 2011).
class WorkerTable {
 public:
  enum class Hottest { kFirst, kLast };

  // Reserves copies of `num_hot` rows from `first_hot` on. `hottest` states
  // whether the first or the last of them is written most often. Exchange them
  // before use, to fill the copies. Borrows the table.
  WorkerTable(SharedMatrix& table, size_t first_hot, size_t num_hot,
              Hottest hottest = Hottest::kFirst)
      : shared_(table.data()),
        copies_(2 * num_hot, table.cols()),
        num_hot_(num_hot),
        stride_(table.stride()),
        first_hot_(first_hot),
        hottest_(hottest) {}

  // Returns the row that this worker reads and writes: its copy, or the shared
  // row.
  SharedRow Row(size_t row) {
    // Avoids a branch, which would often be mispredicted.
    const size_t hot = row - first_hot_;
    const bool is_hot = hot < num_hot_;
    float* const table = is_hot ? copies_.data() : shared_;
    return SharedRow(table + (is_hot ? hot : row) * stride_);
  }

  // Number of hot rows. They are numbered from 0.
  size_t num_hot() const { return num_hot_; }
  SharedRow Shared(size_t hot) {
    return SharedRow(shared_ + (first_hot_ + hot) * stride_);
  }
  // Returns the hot row that is the i-th most often written.
  size_t NthHottest(size_t i) const {
    return hottest_ == Hottest::kFirst ? i : num_hot_ - 1 - i;
  }
  float* Own(size_t hot) { return copies_.Row(hot); }
  // Returns the shared row as it was at the last exchange.
  float* Base(size_t hot) { return copies_.Row(num_hot_ + hot); }

 private:
  float* shared_;  // Row 0; used only to compute addresses.
  // [2 * hot rows, dim]: own rows, then base rows. A single block of memory,
  // which is returned to the system as a whole if it is large.
  PaddedMatrix copies_;
  size_t num_hot_;
  size_t stride_;
  size_t first_hot_;
  Hottest hottest_;
};

}  // namespace firth

#endif  // FIRTH_BASE_SHARED_MATRIX_H_
