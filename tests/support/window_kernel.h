// Plain entry points of the window kernels, which training inlines from
// simd/window_kernel-inl.h.

#ifndef FIRTH_TESTS_SUPPORT_WINDOW_KERNEL_H_
#define FIRTH_TESTS_SUPPORT_WINDOW_KERNEL_H_

#include <cstddef>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/shared_matrix.h"
#include "simd/window_block.h"

namespace firth {

// See window_kernel-inl.h. `inputs`: at most kMaxInputRows rows of stride.
float StepSharedWindow(absl::Span<const SharedRow> inputs,
                       const OutputBlock& outputs, float learning_rate,
                       size_t stride, StepBlock& steps);

// The same on rows without padding, of `dim` values, with one thread.
float StepUnpaddedWindow(absl::Span<const SharedRow> inputs,
                         const OutputBlock& outputs, float learning_rate,
                         size_t dim, StepBlock& steps);

// The same for one private vector; hidden_step: [stride], overwritten.
float StepHidden(const float* hidden, const OutputBlock& outputs,
                 float learning_rate, size_t stride, StepBlock& steps,
                 float* hidden_step);

// The same for a group of private vectors, each of which has the output of its
// number to itself. hidden, hidden_steps: [m, dim].
float StepHiddenGroup(const PaddedMatrix& hidden, const OutputBlock& outputs,
                      float learning_rate, StepBlock& steps,
                      PaddedMatrix* hidden_steps);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_WINDOW_KERNEL_H_
