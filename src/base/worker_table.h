// WorkerTable: a shared table as one of several workers sees it.
//
// Some rows are written by every worker all the time: the nodes near the root
// of a tree, the weights of positions, the words that noise is most often. Each
// write takes the row out of the other cores' caches, and they wait to get it
// back: two threads on a tree were slower than one. So a worker has copies of
// its own of these rows, moves the copies, and exchanges what it has learnt
// with the shared rows every few hundred or thousand words (shared += own -
// base; simd/exchange-inl.h). All other rows are shared (Hogwild; Niu et al.
// 2011).

#ifndef FIRTH_BASE_WORKER_TABLE_H_
#define FIRTH_BASE_WORKER_TABLE_H_

#include <cstddef>

#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

class WorkerTable {
 public:
  enum class Hottest { kFirst, kLast };

  // Copies `num_hot` rows from `first_hot`, of which the first or the last is
  // written most often. Exchange them before use, to fill the copies. Borrows
  // the table.
  WorkerTable(SharedMatrix& table, size_t first_hot, size_t num_hot,
              Hottest hottest = Hottest::kFirst)
      : shared_(table.data()),
        copies_(2 * num_hot, table.cols()),
        num_hot_(num_hot),
        stride_(table.stride()),
        first_hot_(first_hot),
        hottest_(hottest) {}

  // Where this worker reads and writes a row: its copy, or the shared one.
  SharedRow Row(size_t row) {
    // Without a branch, which would often be mispredicted.
    const size_t hot = row - first_hot_;
    const bool is_hot = hot < num_hot_;
    float* const table = is_hot ? copies_.data() : shared_;
    return SharedRow(table + (is_hot ? hot : row) * stride_);
  }

  // Of the hot rows, from 0.
  size_t num_hot() const { return num_hot_; }
  SharedRow Shared(size_t hot) {
    return SharedRow(shared_ + (first_hot_ + hot) * stride_);
  }
  // The hot row that is the i-th often written.
  size_t NthHottest(size_t i) const {
    return hottest_ == Hottest::kFirst ? i : num_hot_ - 1 - i;
  }
  float* Own(size_t hot) { return copies_.Row(hot); }
  // The shared row as it was at the last exchange.
  float* Base(size_t hot) { return copies_.Row(num_hot_ + hot); }

 private:
  float* shared_;        // row 0; only addresses are made from it here
  PaddedMatrix copies_;  // [2 * hot rows, dim]: own, then base; one piece of
                         // memory, which is given back as such if it is large
  size_t num_hot_;
  size_t stride_;
  size_t first_hot_;
  Hottest hottest_;
};

}  // namespace firth

#endif  // FIRTH_BASE_WORKER_TABLE_H_
