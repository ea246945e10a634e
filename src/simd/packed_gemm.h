// Products with one right-hand side again and again: the recurrent weights of a
// chunk, 20 products of 32 rows.
//
// A BLAS copies both matrices of each product into an order of its own. For few
// rows that is a fifth of the time, so here the copy is made once.

#ifndef FIRTH_SIMD_PACKED_GEMM_H_
#define FIRTH_SIMD_PACKED_GEMM_H_

#include <cstddef>

#include "base/aligned_matrix.h"
#include "simd/gemm.h"

namespace firth {

// Columns that lie together.
constexpr size_t kPanelColumns = 32;

// A copy of a matrix [rows, cols] in panels of kPanelColumns columns, the last
// filled up with zeros: a row of a panel is two cache lines, and the next row
// follows. Keeps its memory from one Pack() to the next.
class PackedMatrix {
 public:
  // Copies op(matrix), [rows, cols]; see Gemm().
  void Pack(Transpose transpose, size_t rows, size_t cols, const float* matrix,
            size_t leading_dim);

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  // The `rows` rows of kPanelColumns floats from this column on.
  const float* Panel(size_t column) const {
    return panels_.data() + column * rows_;
  }

 private:
  size_t rows_ = 0;
  size_t cols_ = 0;
  AlignedMatrix panels_;
};

// C = A B, or C += A B. Shapes: A [m, b.rows()], C [m, b.cols()]; leading
// dimensions as in Gemm(). C does not overlap A.
void MultiplyPacked(size_t m, const float* a, size_t lda, const PackedMatrix& b,
                    bool add, float* c, size_t ldc);

}  // namespace firth

#endif  // FIRTH_SIMD_PACKED_GEMM_H_
