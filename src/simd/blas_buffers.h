// Room for the BLAS to work in, taken before it is needed.
//
// OpenBLAS takes a buffer of 128 MiB of addresses for a product, and keeps it
// for later ones. Where it cannot have one (ulimit -v), it asks again for ever
// and the program never ends. So there are always as many buffers as threads
// that multiply, and a thread for which there is no room learns it here.

#ifndef FIRTH_SIMD_BLAS_BUFFERS_H_
#define FIRTH_SIMD_BLAS_BUFFERS_H_

namespace firth {

// Call it before each product: the first call of a thread makes sure of its
// buffer, the others cost nothing. Throws std::bad_alloc when there is no room.
void EnsureBlasBuffer();

}  // namespace firth

#endif  // FIRTH_SIMD_BLAS_BUFFERS_H_
