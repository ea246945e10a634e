// The values that a cell's formulas use: those of one unit of one sequence, or
// of a vector of units.

#include "nn/cells.h"
#include "simd/targets.h"

#if defined(FIRTH_NN_CELL_UNIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_CELL_UNIT_INL_H_
#undef FIRTH_NN_CELL_UNIT_INL_H_
#else
#define FIRTH_NN_CELL_UNIT_INL_H_
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

// Functions of the formulas (Sigmoid, Tanh, ...).
using namespace firth::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace)

// V is a number type of lanes-inl.h. The names are those of CellStep.
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

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
