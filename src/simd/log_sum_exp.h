// The logarithm of the normalizer of a softmax.

#ifndef FIRTH_SIMD_LOG_SUM_EXP_H_
#define FIRTH_SIMD_LOG_SUM_EXP_H_

#include <cstddef>

namespace firth {

// Returns ln sum_i exp(scores[i]). The maximum score is subtracted first, so
// that no exponential overflows. `count` must be above 0; no alignment is
// required. Returns NaN if a score is NaN.
float LogSumExp(const float* scores, size_t count);

}  // namespace firth

#endif  // FIRTH_SIMD_LOG_SUM_EXP_H_
