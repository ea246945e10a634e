// The BLAS, loaded when a product first needs it, and with room to work in.
//
// OpenBLAS starts its threads as soon as it is loaded, and each wants a buffer
// of 128 MiB of addresses, as each product does. Where it cannot have one
// (ulimit -v), it asks again for ever and the program never ends. So commands
// that need no BLAS do not load one; it is loaded without threads of its own;
// and there are always as many buffers as threads that multiply: one for which
// there is no room learns it here.
//
// Of its variants, the one without threads must not be linked instead: it does
// not lock its buffers, and two products at a time may get the same one.

#ifndef FIRTH_SIMD_BLAS_H_
#define FIRTH_SIMD_BLAS_H_

#include <cblas.h>

#include <atomic>
#include <cstddef>

namespace firth {

struct Blas {
  decltype(&cblas_sgemm) sgemm;
  decltype(&cblas_dgemm) dgemm;
  // LAPACK's singular value decomposition, which OpenBLAS has, too. Fortran's
  // hidden last argument is the length of `job`.
  void (*dgesdd)(const char* job, const int* m, const int* n, double* a,
                 const int* lda, double* s, double* u, const int* ldu,
                 double* vt, const int* ldvt, double* work,
                 const int* work_size, int* int_work, int* info,
                 size_t job_length);
  // Its eigenvalues of a symmetric matrix, by divide and conquer.
  void (*dsyevd)(const char* job, const char* half, const int* n, double* a,
                 const int* lda, double* values, double* work,
                 const int* work_size, int* int_work, const int* int_work_size,
                 int* info, size_t job_length, size_t half_length);
};

// One call of the BLAS: `BlasCall()->sgemm(...)`. The first one of all loads
// the BLAS, the first one of a thread makes sure of its buffer, the others cost
// nothing.
class BlasCall {
 public:
  // Throws std::bad_alloc when there is no room.
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

  const Blas* operator->() const;

 private:
  std::atomic<bool>& is_running_;  // this thread's; others wait for its end
};

}  // namespace firth

#endif  // FIRTH_SIMD_BLAS_H_
