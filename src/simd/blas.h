// The BLAS, loaded when a product first needs it, with enough address space.
//
// OpenBLAS starts its threads as soon as it is loaded, and each of them needs a
// buffer of 128 MiB of addresses, like each product. If it cannot get one
// (ulimit -v), it retries forever, and the program never ends. Therefore
// commands that need no BLAS do not load it, it is loaded without threads of
// its own, and there are always as many buffers as threads that multiply. A
// thread for whose buffer there is no room gets an error here.
//
// The variant of OpenBLAS without threads must not be linked instead: it does
// not lock its buffers, so two concurrent products may get the same one.

#ifndef FIRTH_SIMD_BLAS_H_
#define FIRTH_SIMD_BLAS_H_

#include <cblas.h>

#include <atomic>
#include <cstddef>

namespace firth {

struct Blas {
  decltype(&cblas_sgemm) sgemm;
  decltype(&cblas_dgemm) dgemm;
  // LAPACK's singular value decomposition, which OpenBLAS includes. Fortran's
  // hidden last argument is the length of `job`.
  void (*dgesdd)(const char* job, const int* m, const int* n, double* a,
                 const int* lda, double* s, double* u, const int* ldu,
                 double* vt, const int* ldvt, double* work,
                 const int* work_size, int* int_work, int* info,
                 size_t job_length);
  // LAPACK's eigenvalues of a symmetric matrix, by divide and conquer.
  void (*dsyevd)(const char* job, const char* half, const int* n, double* a,
                 const int* lda, double* values, double* work,
                 const int* work_size, int* int_work, const int* int_work_size,
                 int* info, size_t job_length, size_t half_length);
};

// One call of the BLAS: `BlasCall()->sgemm(...)`. The first call loads the
// BLAS, the first call of a thread ensures that it has a buffer, and the others
// cost nothing.
class BlasCall {
 public:
  // Throws std::bad_alloc if there is no room, and MissingLibraryError if the
  // library cannot be loaded; the next call tries again.
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

  const Blas* operator->() const;

 private:
  std::atomic<bool>& is_running_;  // This thread's; others wait for its end.
};

}  // namespace firth

#endif  // FIRTH_SIMD_BLAS_H_
