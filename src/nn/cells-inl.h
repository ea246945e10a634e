// The formulas of the cells, in the order of CellKind: the values of one unit
// of one sequence, or of a vector of units. a_k is plane k of the gates'
// inputs, s is the sigmoid, and ' marks the previous step.

#include <tuple>

#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_CELLS_INL_H_
#undef FIRTH_NN_CELLS_INL_H_
#else
#define FIRTH_NN_CELLS_INL_H_
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

// Functions of the formulas (Sigmoid, Tanh, ...).
using namespace firth::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)

// The values that the formulas use. V is a number type of lanes-inl.h. The
// names are those of CellStep.
template <class V>
struct CellUnit {
  V gates[kMostPlanes] = {};
  V previous = {};
  V state = {};
  V output = {};
  V middle = {};
  V state_weights[kMostStateWeights] = {};
  V clip = {};
  V d_output = {};
  V d_state = {};
  V d_middle = {};
};

// Returns ds/da at a, where s(a) = sigmoid.
template <class V>
HWY_INLINE V SigmoidSlope(V sigmoid) {
  return sigmoid * (V(1) - sigmoid);
}

// The simple recurrent network (Elman 1990):
//
//   h = tanh(a)
struct TanhCell {
  static constexpr CellShape kShape = {
      .planes = 1, .input = {0, 1}, .recurrent = {0, 1}};

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[0] = Tanh(u.gates[0]);
    u.state = u.output = Clip(u.gates[0], u.clip);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V h = u.gates[0];
    const V d_h = WhereInside(h, u.clip, u.d_output + u.d_state);
    u.gates[0] = d_h * (V(1) - h * h);
    u.d_state = V(0);
  }
};

// Long short-term memory (Hochreiter and Schmidhuber 1997; with the forget gate
// of Gers et al. 2000):
//
//   i = s(a_0)   j = tanh(a_1)   f = s(a_2)   o = s(a_3)
//   c = clip(f c' + i j)
//   h = o tanh(c)
//
// The order of the planes is that of TensorFlow's LSTMCell and of ELMo's files.
struct LstmCell {
  static constexpr CellShape kShape = {
      .planes = 4, .input = {0, 4}, .recurrent = {0, 4}, .forget_plane = 2};

  template <class V>
  static HWY_INLINE void Finish(CellUnit<V>& u) {
    u.gates[0] = Sigmoid(u.gates[0]);
    u.gates[1] = Tanh(u.gates[1]);
    u.gates[2] = Sigmoid(u.gates[2]);
    u.gates[3] = Sigmoid(u.gates[3]);
    u.state = Clip(u.gates[2] * u.previous + u.gates[0] * u.gates[1], u.clip);
    u.output = u.gates[3] * Tanh(u.state);
  }

  template <class V>
  static HWY_INLINE void FinishBackward(CellUnit<V>& u) {
    const V i = u.gates[0], j = u.gates[1], f = u.gates[2], o = u.gates[3];
    const V tanh_c = Tanh(u.state);
    const V d_c = WhereInside(
        u.state, u.clip, u.d_state + u.d_output * o * (V(1) - tanh_c * tanh_c));
    u.gates[0] = d_c * j * SigmoidSlope(i);
    u.gates[1] = d_c * i * (V(1) - j * j);
    u.gates[2] = d_c * u.previous * SigmoidSlope(f);
    u.gates[3] = u.d_output * tanh_c * SigmoidSlope(o);
    u.d_state = d_c * f;
  }
};

// LSTM whose gates use the state of their own unit (Gers, Schraudolph and
// Schmidhuber, "Learning precise timing with LSTM recurrent networks", 2002):
//
//   i = s(a_0 + p_i c')   j = tanh(a_1)   f = s(a_2 + p_f c')
//   c = clip(f c' + i j)
//   o = s(a_3 + p_o c)    h = o tanh(c)
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

// LSTM whose gates use the state of all units, by matrices:
//
//   i = s(a_0 + P_i c')   j = tanh(a_1)   f = s(a_2 + P_f c')
//   c = clip(f c' + i j)
//   o = s(a_3 + P_o c)    h = o tanh(c)
//
// Start() computes c, the middle. Recurrent computes the products.
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

// LSTM with a single gate for input and forgetting: new values replace what is
// forgotten.
//
//   i = s(a_0)   j = tanh(a_1)   o = s(a_2)
//   c = clip((1 - i) c' + i j)
//   h = o tanh(c)
//
// It equals an LSTM with W_f = -W_i (CIFG in Greff et al., "LSTM: a search
// space odyssey", 2017). A forget bias would be a negative bias of this gate.
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

// Gated recurrent unit (Cho et al. 2014) with the reset gate before the matrix:
//
//   z = s(a_0)   r = s(a_1)   n = tanh(a_2 + U (r h'))
//   h = clip(z h' + (1 - z) n)
//
// Publications differ on whether z or 1 - z keeps the old state. Here it is z,
// as in the first of them and in PyTorch. The middle is r h'.
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

// Gated recurrent unit with the reset gate after the matrix, as in cuDNN and
// PyTorch. It needs one recurrent product per step.
//
//   z = s(a_1)   r = s(a_2)   n = tanh(a_3 + r a_0)
//   h = clip(z h' + (1 - z) n)
//
// a_0 comes only from the recurrence, and a_3 only from the input.
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

// The list of cells, in the order of CellKind.
using Cells =
    std::tuple<TanhCell, LstmCell, PeepholeLstmCell, FullPeepholeLstmCell,
               CoupledLstmCell, GruResetBeforeCell, GruResetAfterCell>;

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
