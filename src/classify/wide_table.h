// WideTable: the weights of a classifier's wide part while they are learnt.
//
// A row is that of a feature: its weights, one a column, then what their steps
// are multiplied with, r^2 (see wide_step.h), so that both come with one cache
// line where there are at most 8 columns. A column is a label; of two labels
// one is enough, as the other's weights are the same with the other sign.

#ifndef FIRTH_SRC_CLASSIFY_WIDE_TABLE_H_
#define FIRTH_SRC_CLASSIFY_WIDE_TABLE_H_

#include <cstddef>

#include "base/matrix.h"
#include "base/shared_matrix.h"

namespace firth {

class WideTable {
 public:
  // Columns are visited in vectors of at most so many.
  static constexpr size_t kLanes = 8;

  static size_t WidthOf(size_t columns) {
    return columns == 1 ? 1 : (columns + kLanes - 1) / kLanes * kLanes;
  }

  WideTable() = default;
  // Zeros. Throws std::bad_alloc.
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
