// The step of full softmax for a batch of hidden vectors.

#ifndef FIRTH_SIMD_SOFTMAX_KERNEL_H_
#define FIRTH_SIMD_SOFTMAX_KERNEL_H_

#include "base/shared_matrix.h"
#include "simd/softmax_batch.h"

namespace firth {

// Moves the rows of `output` [vocab_size, dim] one step down the gradient of
// the batch's losses, and sets batch.hidden_steps to the steps of the hidden
// vectors, all computed from the old values. Returns the sum of the losses
// before the step in nats, which is not finite if a score is not. See
// softmax_kernel.cc.
double StepSoftmax(float learning_rate, SoftmaxBatch& batch,
                   SharedMatrix& output);

}  // namespace firth

#endif  // FIRTH_SIMD_SOFTMAX_KERNEL_H_
