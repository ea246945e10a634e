#ifndef FIRTH_SIMD_TRANSPOSE_H_
#define FIRTH_SIMD_TRANSPOSE_H_

namespace firth {

// Whether a factor of a product is read as stored or with rows and columns
// exchanged.
enum class Transpose { kNo, kYes };

}  // namespace firth

#endif  // FIRTH_SIMD_TRANSPOSE_H_
