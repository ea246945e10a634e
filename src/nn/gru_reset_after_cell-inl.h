// Gated recurrent unit with the reset gate after the matrix, as in cuDNN and
// PyTorch. It needs one recurrent product per step.
//
//   z = s(a_1)   r = s(a_2)   n = tanh(a_3 + r a_0)
//   h = clip(z h' + (1 - z) n)
//
// a_0 comes only from the recurrence, and a_3 only from the input.
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_GRU_RESET_AFTER_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_GRU_RESET_AFTER_CELL_INL_H_
#undef FIRTH_NN_GRU_RESET_AFTER_CELL_INL_H_
#else
#define FIRTH_NN_GRU_RESET_AFTER_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

struct GruResetAfterCell {
  static constexpr CellShape kShape = {
      .planes = 4, .input = {1, 4}, .recurrent = {0, 3}};

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[1] = Sigmoid(u.gates[1]);
    u.gates[2] = Sigmoid(u.gates[2]);
    u.gates[3] = Tanh(u.gates[3] + u.gates[2] * u.gates[0]);
    u.state = u.output =
        Clip(u.gates[3] + u.gates[1] * (u.previous - u.gates[3]), u.clip);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V a = u.gates[0], z = u.gates[1], r = u.gates[2], n = u.gates[3];
    const V d_h = WhereInside(u.state, u.clip, u.d_output + u.d_state);
    u.gates[3] = d_h * (V(1) - z) * (V(1) - n * n);
    u.gates[2] = u.gates[3] * a * SigmoidSlope(r);
    u.gates[1] = d_h * (u.previous - n) * SigmoidSlope(z);
    u.gates[0] = u.gates[3] * r;
    u.d_state = d_h * z;
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
