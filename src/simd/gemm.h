// Gemm: the one seam for matrix products.
//
// Row-major matrices. A BLAS runs on one thread: parallelism is ours, so a call
// starts no threads. Within a team (base/team.h) it may wait for others, who
// take parts of a large product of floats. The result is the same, bit for bit,
// for a team of any size: our own kernels compute each sum in the same order
// wherever a product is cut, and what a BLAS computes is always cut at the same
// places. In floats for work: our own kernels for large products with AVX2 and
// better, a BLAS for the rest; in doubles for gradient checks.

#ifndef FIRTH_SIMD_GEMM_H_
#define FIRTH_SIMD_GEMM_H_

#include <cstddef>

#include "simd/transpose.h"

namespace firth {

// C = alpha * op(A) * op(B) + beta * C, where op transposes if told to.
// Shapes: op(A) [m, k], op(B) [k, n], C [m, n]. A leading dimension is the
// distance in numbers between the starts of two stored rows, so with a_t ==
// kYes, where A is stored as [k, m], lda is at least m. With beta == 0, C need
// not be initialised. C overlaps neither A nor B. Threads: any number at once
// on different C. Every size is below 2^31 (checked: a BLAS counts in int).
// Throws std::bad_alloc where a BLAS has no room to work in.
void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          float alpha, const float* a, size_t lda, const float* b, size_t ldb,
          float beta, float* c, size_t ldc);
void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          double alpha, const double* a, size_t lda, const double* b,
          size_t ldb, double beta, double* c, size_t ldc);

}  // namespace firth

#endif  // FIRTH_SIMD_GEMM_H_
