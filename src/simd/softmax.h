// Exponentials over a row of scores as long as the vocabulary.

#ifndef FIRTH_SIMD_SOFTMAX_H_
#define FIRTH_SIMD_SOFTMAX_H_

#include <cstddef>

namespace firth {

// ln sum_i exp(scores[i]), with the greatest score subtracted before, so that
// no exponential overflows. count > 0; no alignment needed. NaN if a score is
// NaN.
float LogSumExp(const float* scores, size_t count);

// scores[i] = scale * exp(scores[i] - log_sum), in place: `scale` times the
// softmax when log_sum is LogSumExp(scores).
void ScaledSoftmax(float log_sum, float scale, size_t count, float* scores);

}  // namespace firth

#endif  // FIRTH_SIMD_SOFTMAX_H_
