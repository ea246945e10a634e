// Gated recurrent unit (Cho et al. 2014) with the reset gate before the matrix:
//
//   z = s(a_0)   r = s(a_1)   n = tanh(a_2 + U (r h'))
//   h = clip(z h' + (1 - z) n)
//
// Publications differ on whether z or 1 - z keeps the old state. Here it is z,
// as in the first of them and in PyTorch. The middle is r h'.
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_GRU_RESET_BEFORE_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_GRU_RESET_BEFORE_CELL_INL_H_
#undef FIRTH_NN_GRU_RESET_BEFORE_CELL_INL_H_
#else
#define FIRTH_NN_GRU_RESET_BEFORE_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

struct GruResetBeforeCell {
  static constexpr CellShape kShape = {
      .planes = 3,
      .input = {0, 3},
      .recurrent = {0, 2},
      .has_middle = true,
      .num_state_weights = 1,
      .state_weights = {{"reset_recurrent", 2, StateWeights::From::kMiddle}}};

  template <class V>
  static HWY_INLINE void Start(CellUnit<V>& u) {
    u.gates[0] = Sigmoid(u.gates[0]);
    u.gates[1] = Sigmoid(u.gates[1]);
    u.middle = u.gates[1] * u.previous;
  }

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[2] = Tanh(u.gates[2]);
    u.state = u.output =
        Clip(u.gates[2] + u.gates[0] * (u.previous - u.gates[2]), u.clip);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V z = u.gates[0], n = u.gates[2];
    const V d_h = WhereInside(u.state, u.clip, u.d_output + u.d_state);
    u.gates[0] = d_h * (u.previous - n) * SigmoidSlope(z);
    u.gates[2] = d_h * (V(1) - z) * (V(1) - n * n);
    u.d_state = d_h * z;
  }

  template <class V>
  static HWY_INLINE void StartBackward(CellUnit<V>& u) {
    const V r = u.gates[1];
    u.gates[1] = u.d_middle * u.previous * SigmoidSlope(r);
    u.d_state = u.d_state + u.d_middle * r;
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
