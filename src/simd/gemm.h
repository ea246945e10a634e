// Gemm: the single interface for matrix products.
//
// Matrices are row-major. A BLAS runs on one thread, because Firth does its own
// parallelization, so a call starts no threads. Within a team (base/team.h), it
// may wait for other threads, which take parts of a large product of floats.
// The result is the same, bit for bit, for a team of any size: our own kernels
// compute each sum in the same order wherever a product is divided, and
// products of a BLAS are always divided at the same places. Floats are for
// normal work, with our own kernels for large products on AVX2 and better, and
// a BLAS for the rest. Doubles are for gradient checks.

#ifndef FIRTH_SIMD_GEMM_H_
#define FIRTH_SIMD_GEMM_H_

#include <cstddef>

namespace firth {

// Whether a factor of a product is read as stored or with rows and columns
// exchanged.
enum class Transpose { kNo, kYes };

// Computes C = alpha * op(A) * op(B) + beta * C, where op transposes if
// requested. Shapes: op(A) [m, k], op(B) [k, n], C [m, n]. A leading dimension
// is the distance in numbers between the starts of two stored rows, so with a_t
// == kYes, for which A is stored as [k, m], lda is at least m. If beta == 0, C
// need not be initialized. C must not overlap A or B. Any number of threads may
// call it at once with different C. Every size must be below 2^31 (checked,
// because a BLAS counts with int). Throws std::bad_alloc if a BLAS has no room
// to work in.
void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          float alpha, const float* a, size_t lda, const float* b, size_t ldb,
          float beta, float* c, size_t ldc);
void Gemm(Transpose a_t, Transpose b_t, size_t m, size_t n, size_t k,
          double alpha, const double* a, size_t lda, const double* b,
          size_t ldb, double beta, double* c, size_t ldc);

}  // namespace firth

#endif  // FIRTH_SIMD_GEMM_H_
