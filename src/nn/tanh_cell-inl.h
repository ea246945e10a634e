// The simple recurrent network (Elman 1990):
//
//   h = tanh(a)
//
#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_TANH_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_TANH_CELL_INL_H_
#undef FIRTH_NN_TANH_CELL_INL_H_
#else
#define FIRTH_NN_TANH_CELL_INL_H_
#endif

#include "nn/cell_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
