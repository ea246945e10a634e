// WideTable: the weights of a classifier's wide part during training.
//
// Each feature has a row: its weights, one per column, then the factors of
// their steps, r^2 (see wide_step.h), so that both are in one cache line if
// there are at most 8 columns. A column is a label. For two labels, one column
// is enough, because the other's weights are the same with the opposite sign.

#ifndef FIRTH_SRC_CLASSIFY_WIDE_TABLE_H_
#define FIRTH_SRC_CLASSIFY_WIDE_TABLE_H_

#include <cstddef>

#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

class WideTable {
 public:
  // Maximum number of columns in a vector.
  static constexpr size_t kLanes = 8;

  static size_t WidthOf(size_t columns) {
    return columns == 1 ? 1 : (columns + kLanes - 1) / kLanes * kLanes;
  }

  WideTable() = default;
  // Creates a table of zeros. Throws std::bad_alloc.
  WideTable(size_t rows, size_t columns)
      : columns_(columns),
        width_(WidthOf(columns)),
        values_(rows, 2 * width_) {}

  size_t rows() const { return values_.rows(); }
  size_t columns() const { return columns_; }
  size_t width() const { return width_; }  // columns with padding
  size_t stride() const { return 2 * width_; }

  SharedRow Row(size_t row) { return SharedRow(values_.Row(row)); }
  // For reading and writing while no worker runs.
  float* Weights(size_t row) { return values_.Row(row); }
  const float* Weights(size_t row) const { return values_.Row(row); }
  float* Scales(size_t row) { return values_.Row(row) + width_; }

 private:
  size_t columns_ = 0;
  size_t width_ = 0;
  Matrix<float> values_;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_WIDE_TABLE_H_
