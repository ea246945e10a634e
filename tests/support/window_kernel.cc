// The window kernels on plain arguments. Tests compile them as training does,
// once an instruction set.

#include "support/window_kernel.h"

#include "base/check.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/window_kernel.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/hidden_kernel-inl.h"
#include "simd/window_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

template <class Columns>
float Step(absl::Span<const SharedRow> inputs, const OutputBlock& outputs,
           float learning_rate, Columns columns, StepBlock& steps) {
  SharedInputs rows;
  std::copy(inputs.begin(), inputs.end(), rows.rows);
  LossSum losses;
  ScoreAndUpdate(rows, inputs.size(), outputs.rows.data(), outputs,
                 EqualWeights(), learning_rate, columns, {}, steps, losses);
  return static_cast<float>(losses.Take());
}

float SharedWindowTarget(absl::Span<const SharedRow> inputs,
                         const OutputBlock& outputs, float learning_rate,
                         size_t stride, StepBlock& steps) {
  return Step(inputs, outputs, learning_rate, stride, steps);
}

float UnpaddedWindowTarget(absl::Span<const SharedRow> inputs,
                           const OutputBlock& outputs, float learning_rate,
                           size_t dim, StepBlock& steps) {
  return Step(inputs, outputs, learning_rate, UnpaddedColumns{dim}, steps);
}

float HiddenTarget(const float* hidden, const OutputBlock& outputs,
                   float learning_rate, size_t stride, StepBlock& steps,
                   float* hidden_step) {
  LossSum losses;
  StepHiddenVector(HiddenInput{hidden, hidden_step}, outputs.rows.data(),
                   outputs, learning_rate, stride, {}, steps, losses);
  return static_cast<float>(losses.Take());
}

float HiddenGroupTarget(const PaddedMatrix& hidden, const OutputBlock& outputs,
                        float learning_rate, StepBlock& steps,
                        PaddedMatrix* hidden_steps) {
  LossSum losses;
  StepHiddenVectors({hidden.data(), hidden_steps->data(), hidden.stride()},
                    hidden.rows(), outputs.rows.data(), outputs, learning_rate,
                    hidden.stride(), {}, steps, losses);
  return static_cast<float>(losses.Take());
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(SharedWindowTarget);
HWY_EXPORT(UnpaddedWindowTarget);
HWY_EXPORT(HiddenTarget);
HWY_EXPORT(HiddenGroupTarget);

float StepSharedWindow(absl::Span<const SharedRow> inputs,
                       const OutputBlock& outputs, float learning_rate,
                       size_t stride, StepBlock& steps) {
  FIRTH_CHECK(inputs.size() <= kMaxInputRows);
  return HWY_DYNAMIC_DISPATCH(SharedWindowTarget)(inputs, outputs,
                                                  learning_rate, stride, steps);
}

float StepUnpaddedWindow(absl::Span<const SharedRow> inputs,
                         const OutputBlock& outputs, float learning_rate,
                         size_t dim, StepBlock& steps) {
  FIRTH_CHECK(inputs.size() <= kMaxInputRows);
  return HWY_DYNAMIC_DISPATCH(UnpaddedWindowTarget)(inputs, outputs,
                                                    learning_rate, dim, steps);
}

float StepHidden(const float* hidden, const OutputBlock& outputs,
                 float learning_rate, size_t stride, StepBlock& steps,
                 float* hidden_step) {
  return HWY_DYNAMIC_DISPATCH(HiddenTarget)(hidden, outputs, learning_rate,
                                            stride, steps, hidden_step);
}

float StepHiddenGroup(const PaddedMatrix& hidden, const OutputBlock& outputs,
                      float learning_rate, StepBlock& steps,
                      PaddedMatrix* hidden_steps) {
  return HWY_DYNAMIC_DISPATCH(HiddenGroupTarget)(hidden, outputs, learning_rate,
                                                 steps, hidden_steps);
}

}  // namespace firth
#endif  // HWY_ONCE
