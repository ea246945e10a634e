// LSTM with a single gate for input and forgetting: new values replace what is
// forgotten.
//
//   i = s(a_0)   j = tanh(a_1)   o = s(a_2)
//   c = clip((1 - i) c' + i j)
//   h = o tanh(c)
//
// It equals an LSTM with W_f = -W_i (CIFG in Greff et al., "LSTM: a search
// space odyssey", 2017). A forget bias would be a negative bias of this gate.
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_COUPLED_LSTM_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_COUPLED_LSTM_CELL_INL_H_
#undef FIRTH_NN_COUPLED_LSTM_CELL_INL_H_
#else
#define FIRTH_NN_COUPLED_LSTM_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

struct CoupledLstmCell {
  static constexpr CellShape kShape = {
      .planes = 3, .input = {0, 3}, .recurrent = {0, 3}};

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[0] = Sigmoid(u.gates[0]);
    u.gates[1] = Tanh(u.gates[1]);
    u.gates[2] = Sigmoid(u.gates[2]);
    u.state = Clip(u.previous + u.gates[0] * (u.gates[1] - u.previous), u.clip);
    u.output = u.gates[2] * Tanh(u.state);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V i = u.gates[0], j = u.gates[1], o = u.gates[2];
    const V tanh_c = Tanh(u.state);
    const V d_c = WhereInside(
        u.state, u.clip, u.d_state + u.d_output * o * (V(1) - tanh_c * tanh_c));
    u.gates[0] = d_c * (j - u.previous) * SigmoidSlope(i);
    u.gates[1] = d_c * i * (V(1) - j * j);
    u.gates[2] = u.d_output * tanh_c * SigmoidSlope(o);
    u.d_state = d_c * (V(1) - i);
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
