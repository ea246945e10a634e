// The list of cells, for the per-target build, in the order of CellKind.

#include <tuple>

#include "simd/targets.h"

#if defined(FIRTH_NN_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_NN_CELLS_INL_H_
#undef FIRTH_NN_CELLS_INL_H_
#else
#define FIRTH_NN_CELLS_INL_H_
#endif

#include "nn/coupled_lstm_cell-inl.h"
#include "nn/full_peephole_lstm_cell-inl.h"
#include "nn/gru_reset_after_cell-inl.h"
#include "nn/gru_reset_before_cell-inl.h"
#include "nn/lstm_cell-inl.h"
#include "nn/peephole_lstm_cell-inl.h"
#include "nn/tanh_cell-inl.h"

// No function is compiled here, so there is no HWY_BEFORE_NAMESPACE(): clang 19
// would report attributes that apply to nothing.
namespace firth::nn {
namespace HWY_NAMESPACE {

using Cells =
    std::tuple<TanhCell, LstmCell, PeepholeLstmCell, FullPeepholeLstmCell,
               CoupledLstmCell, GruResetBeforeCell, GruResetAfterCell>;

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn

#endif  // per-target include guard
