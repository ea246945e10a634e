// The best combination of three rows of cosines, the inner loop of solving many
// analogies at once.

#ifndef FIRTH_SIMD_BEST_SCORE_H_
#define FIRTH_SIMD_BEST_SCORE_H_

#include <cstddef>

namespace firth {

// Computes the maximum over i < n of the score
//
//   FindBetterSum       b[i] - a[i] + c[i]                (3CosAdd)
//   FindBetterQuotient  b[i] * c[i] / (a[i] + 0.001)      (3CosMul)
//
// If it is greater than *best, sets *best to it and *best_pos to its first i,
// and returns true. The values must not be NaN.
bool FindBetterSum(const float* a, const float* b, const float* c, size_t n,
                   float* best, size_t* best_pos);
bool FindBetterQuotient(const float* a, const float* b, const float* c,
                        size_t n, float* best, size_t* best_pos);

}  // namespace firth

#endif  // FIRTH_SIMD_BEST_SCORE_H_
