// LSTM whose gates use the state of all units, by matrices:
//
//   i = s(a_0 + P_i c')   j = tanh(a_1)   f = s(a_2 + P_f c')
//   c = clip(f c' + i j)
//   o = s(a_3 + P_o c)    h = o tanh(c)
//
// Start() computes c, the middle. Recurrent computes the products.
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_FULL_PEEPHOLE_LSTM_CELL_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_FULL_PEEPHOLE_LSTM_CELL_INL_H_
#undef FIRTH_NN_FULL_PEEPHOLE_LSTM_CELL_INL_H_
#else
#define FIRTH_NN_FULL_PEEPHOLE_LSTM_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

struct FullPeepholeLstmCell {
  static constexpr CellShape kShape = {
      .planes = 4,
      .input = {0, 4},
      .recurrent = {0, 4},
      .forget_plane = 2,
      .has_middle = true,
      .num_state_weights = 3,
      .state_weights = {{"peephole_input", 0, StateWeights::From::kPrevious},
                        {"peephole_forget", 2, StateWeights::From::kPrevious},
                        {"peephole_output", 3, StateWeights::From::kMiddle}}};

  template <class V>
  static HWY_INLINE void Start(CellUnit<V>& u) {
    u.gates[0] = Sigmoid(u.gates[0]);
    u.gates[1] = Tanh(u.gates[1]);
    u.gates[2] = Sigmoid(u.gates[2]);
    u.middle = Clip(u.gates[2] * u.previous + u.gates[0] * u.gates[1], u.clip);
  }

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[3] = Sigmoid(u.gates[3]);
    u.state = u.middle;
    u.output = u.gates[3] * Tanh(u.state);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V o = u.gates[3];
    const V tanh_c = Tanh(u.state);
    u.gates[3] = u.d_output * tanh_c * SigmoidSlope(o);
    u.d_state = u.d_state + u.d_output * o * (V(1) - tanh_c * tanh_c);
  }

  template <class V>
  static HWY_INLINE void StartBackward(CellUnit<V>& u) {
    const V i = u.gates[0], j = u.gates[1], f = u.gates[2];
    const V d_c = WhereInside(u.middle, u.clip, u.d_state + u.d_middle);
    u.gates[0] = d_c * j * SigmoidSlope(i);
    u.gates[1] = d_c * i * (V(1) - j * j);
    u.gates[2] = d_c * u.previous * SigmoidSlope(f);
    u.d_state = d_c * f;
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
