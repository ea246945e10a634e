// LSTM whose gates use the state of their own unit (Gers, Schraudolph and
// Schmidhuber, "Learning precise timing with LSTM recurrent networks", 2002):
//
//   i = s(a_0 + p_i c')   j = tanh(a_1)   f = s(a_2 + p_f c')
//   c = clip(f c' + i j)
//   o = s(a_3 + p_o c)    h = o tanh(c)
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_PEEPHOLE_LSTM_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_PEEPHOLE_LSTM_CELL_INL_H_
#undef FIRTH_NN_PEEPHOLE_LSTM_CELL_INL_H_
#else
#define FIRTH_NN_PEEPHOLE_LSTM_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

struct PeepholeLstmCell {
  static constexpr CellShape kShape = {
      .planes = 4,
      .input = {0, 4},
      .recurrent = {0, 4},
      .forget_plane = 2,
      .diagonal = true,
      .num_state_weights = 3,
      .state_weights = {{"peephole_input", 0, StateWeights::From::kPrevious},
                        {"peephole_forget", 2, StateWeights::From::kPrevious},
                        {"peephole_output", 3, StateWeights::From::kNew}}};

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[0] = Sigmoid(u.gates[0] + u.state_weights[0] * u.previous);
    u.gates[1] = Tanh(u.gates[1]);
    u.gates[2] = Sigmoid(u.gates[2] + u.state_weights[1] * u.previous);
    u.state = Clip(u.gates[2] * u.previous + u.gates[0] * u.gates[1], u.clip);
    u.gates[3] = Sigmoid(u.gates[3] + u.state_weights[2] * u.state);
    u.output = u.gates[3] * Tanh(u.state);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V i = u.gates[0], j = u.gates[1], f = u.gates[2], o = u.gates[3];
    const V tanh_c = Tanh(u.state);
    u.gates[3] = u.d_output * tanh_c * SigmoidSlope(o);
    const V d_c =
        WhereInside(u.state, u.clip,
                    u.d_state + u.d_output * o * (V(1) - tanh_c * tanh_c) +
                        u.gates[3] * u.state_weights[2]);
    u.gates[0] = d_c * j * SigmoidSlope(i);
    u.gates[1] = d_c * i * (V(1) - j * j);
    u.gates[2] = d_c * u.previous * SigmoidSlope(f);
    u.d_state = d_c * f + u.gates[0] * u.state_weights[0] +
                u.gates[2] * u.state_weights[1];
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
