// The logarithm of a softmax's normaliser.

#ifndef FIRTH_SIMD_LOG_SUM_EXP_H_
#define FIRTH_SIMD_LOG_SUM_EXP_H_

#include <cstddef>

namespace firth {

// ln sum_i exp(scores[i]), with the greatest score subtracted before, so that
// no exponential overflows. count > 0; no alignment needed. NaN if a score is
// NaN.
float LogSumExp(const float* scores, size_t count);

}  // namespace firth

#endif  // FIRTH_SIMD_LOG_SUM_EXP_H_
