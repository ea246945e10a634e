// Matrix products of floats, computed in tiles whose sums stay in registers.
//
// A factor is first copied into panels, in the order in which tiles read it.
// For few rows, this takes a fifth of a product's time. A right-hand side that
// is used repeatedly (the recurrent weights of a chunk: 20 products of 32 rows)
// is therefore copied once (PackedMatrix).

#ifndef FIRTH_SIMD_PACKED_GEMM_H_
#define FIRTH_SIMD_PACKED_GEMM_H_

#include <cstddef>

#include "base/matrix.h"
#include "simd/gemm.h"

namespace firth {

// Columns of a panel.
constexpr size_t kPanelColumns = 32;

// A copy of a matrix [rows, cols] in panels of kPanelColumns columns, the last
// one padded with zeros. A row of a panel is two cache lines, followed by the
// next row. Reuses its memory for the next Pack().
class PackedMatrix {
 public:
  // Copies op(matrix), [rows, cols]; see Gemm().
  void Pack(Transpose transpose, size_t rows, size_t cols, const float* matrix,
            size_t leading_dim);

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  // Returns the `rows` rows of kPanelColumns floats from this column on.
  const float* Panel(size_t column) const {
    return panels_.data() + column * rows_;
  }

 private:
  size_t rows_ = 0;
  size_t cols_ = 0;
  PaddedMatrix panels_;
};

// Computes C = A B, or C += A B. Shapes: A [m, b.rows()], C [m, b.cols()];
// leading dimensions as in Gemm(). C must not overlap A.
void MultiplyPacked(size_t m, const float* a, size_t lda, const PackedMatrix& b,
                    bool add, float* c, size_t ldc);

// Computes C = alpha op(A) op(B), or C += alpha op(A) op(B), for factors that
// are used once. They are copied block by block, into 5 MiB that each thread
// keeps. Shapes are as in Gemm(), with k > 0.
void MultiplyInBlocks(Transpose a_t, Transpose b_t, size_t m, size_t n,
                      size_t k, float alpha, const float* a, size_t lda,
                      const float* b, size_t ldb, bool add, float* c,
                      size_t ldc);

// Returns whether MultiplyInBlocks() computes large products with this
// machine's instruction set. With AVX-512 it is 3-14% faster than OpenBLAS.
// With AVX2 it is about as fast (0.93 to 1.13 of the time), and its sums do not
// depend on where a product is divided, so threads can share a product in any
// way.
bool BlocksBeatBlas();

// Returns the bytes that a thread keeps after products of floats by Gemm(), of
// n columns at most: 0 if a BLAS computes them.
size_t KeptByGemm(size_t n);

}  // namespace firth

#endif  // FIRTH_SIMD_PACKED_GEMM_H_
