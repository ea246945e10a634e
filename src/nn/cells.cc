// The loop over the rows and units of a step, around a cell's formulas. A
// cell's values stay in registers between the single load and the single store
// of each number.

#include "nn/cells.h"

#include <algorithm>
#include <utility>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nn/cells.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// These must follow foreach_target.h.
#include "hwy/highway.h"
#include "nn/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth::nn {
namespace HWY_NAMESPACE {

// One row of a step.
template <class Cell, class T>
class RowKernel {
 public:
  HWY_INLINE RowKernel(const CellStep<T>& step, size_t row)
      : step_(step),
        gates_(step.gates + row * kShape.planes * step.units),
        offset_(row * step.units) {}

  template <class Access>
  HWY_INLINE void Finish(Access access, size_t at) const {
    using V = typename Access::Value;
    CellUnit<V> u = LoadForward(access, at, !kShape.has_middle);
    if constexpr (kShape.has_middle) {
      u.middle = access.Load(step_.middle + offset_ + at);
    }
    Cell::Finish(u);
    StoreGates(access, at, u);
    access.Store(u.state, step_.state + offset_ + at);
    access.Store(u.output, step_.output + offset_ + at);
  }

  template <class Access>
  HWY_INLINE void Start(Access access, size_t at) const {
    using V = typename Access::Value;
    CellUnit<V> u = LoadForward(access, at, true);
    Cell::Start(u);
    StoreGates(access, at, u);
    access.Store(u.middle, step_.middle + offset_ + at);
  }

  template <class Access>
  HWY_INLINE void FinishBackward(Access access, size_t at) const {
    using V = typename Access::Value;
    CellUnit<V> u = LoadForward(access, at, false);
    u.state = access.Load(step_.state + offset_ + at);
    u.d_output = access.Load(step_.d_output + offset_ + at);
    u.d_state = access.Load(step_.d_state + offset_ + at);
    Cell::FinishBackward(u);
    StoreGates(access, at, u);
    access.Store(u.d_state, step_.d_state + offset_ + at);
  }

  template <class Access>
  HWY_INLINE void StartBackward(Access access, size_t at) const {
    using V = typename Access::Value;
    CellUnit<V> u = LoadForward(access, at, false);
    u.middle = access.Load(step_.middle + offset_ + at);
    u.d_middle = access.Load(step_.d_middle + offset_ + at);
    u.d_state = access.Load(step_.d_state + offset_ + at);
    Cell::StartBackward(u);
    StoreGates(access, at, u);
    access.Store(u.d_state, step_.d_state + offset_ + at);
  }

 private:
  static constexpr CellShape kShape = Cell::kShape;

  template <class Access>
  HWY_INLINE auto LoadForward(Access access, size_t at, bool add_bias) const {
    using V = typename Access::Value;
    CellUnit<V> u;
    for (size_t p = 0; p < kShape.planes; ++p) {
      const size_t place = p * step_.units + at;
      u.gates[p] = access.Load(gates_ + place);
      if (add_bias) u.gates[p] = u.gates[p] + access.Load(step_.bias + place);
    }
    if constexpr (kShape.diagonal) {
      for (size_t w = 0; w < kShape.num_state_weights; ++w) {
        u.state_weights[w] = access.Load(step_.state_weights[w] + at);
      }
    }
    u.previous = access.Load(step_.previous + offset_ + at);
    u.clip = V(step_.clip);
    return u;
  }

  template <class Access, class V>
  HWY_INLINE void StoreGates(Access access, size_t at,
                             const CellUnit<V>& u) const {
    for (size_t p = 0; p < kShape.planes; ++p) {
      access.Store(u.gates[p], gates_ + p * step_.units + at);
    }
  }

  const CellStep<T>& step_;
  T* gates_;
  size_t offset_;
};

// Processes a row that holds its state.
template <class T>
HWY_INLINE void HoldRow(CellPhase phase, const CellShape& shape,
                        const CellStep<T>& step, size_t row) {
  const size_t at = row * step.units;
  T* const gates = step.gates + row * shape.planes * step.units;
  switch (phase) {
    case CellPhase::kStart:
      std::fill_n(step.middle + at, step.units, T{0});
      break;
    case CellPhase::kFinish:
      std::copy_n(step.previous + at, step.units, step.state + at);
      std::fill_n(step.output + at, step.units, T{0});
      break;
    case CellPhase::kFinishBackward:
      std::fill_n(gates, shape.planes * step.units, T{0});
      break;
    case CellPhase::kStartBackward:
      break;
  }
}

template <class Cell, class T>
HWY_INLINE void RunRow(CellPhase phase, const CellStep<T>& step, size_t row) {
  const RowKernel<Cell, T> kernel(step, row);
  if (phase == CellPhase::kFinish) {
    ForEachLanes<T>(step.units, [&](auto access, size_t at)
                                    HWY_ATTR { kernel.Finish(access, at); });
  } else if (phase == CellPhase::kFinishBackward) {
    ForEachLanes<T>(step.units, [&](auto access, size_t at) HWY_ATTR {
      kernel.FinishBackward(access, at);
    });
  } else if constexpr (Cell::kShape.has_middle) {
    if (phase == CellPhase::kStart) {
      ForEachLanes<T>(step.units, [&](auto access, size_t at)
                                      HWY_ATTR { kernel.Start(access, at); });
    } else {
      ForEachLanes<T>(step.units, [&](auto access, size_t at) HWY_ATTR {
        kernel.StartBackward(access, at);
      });
    }
  }
}

template <class Cell, class T>
void RunRows(CellPhase phase, const CellStep<T>& step) {
  for (size_t row = 0; row < step.rows; ++row) {
    if (step.active != nullptr && step.active[row] == 0) {
      HoldRow(phase, Cell::kShape, step, row);
    } else {
      RunRow<Cell>(phase, step, row);
    }
  }
}

template <class T, size_t... kIndex>
HWY_INLINE void RunKind(CellKind kind, CellPhase phase, const CellStep<T>& step,
                        std::index_sequence<kIndex...>) {
  (void)((static_cast<size_t>(kind) == kIndex &&
          (RunRows<std::tuple_element_t<kIndex, Cells>>(phase, step), true)) ||
         ...);
}

constexpr auto kCellIndices =
    std::make_index_sequence<std::tuple_size_v<Cells>>();

void RunFloats(CellKind kind, CellPhase phase, const CellStep<float>& step) {
  RunKind(kind, phase, step, kCellIndices);
}

void RunDoubles(CellKind kind, CellPhase phase, const CellStep<double>& step) {
  RunKind(kind, phase, step, kCellIndices);
}

template <size_t... kIndex>
const CellShape& ShapeAt(size_t index, std::index_sequence<kIndex...>) {
  static constexpr CellShape kShapes[] = {
      std::tuple_element_t<kIndex, Cells>::kShape...};
  return kShapes[index];
}

const CellShape& ShapeOfTarget(CellKind kind) {
  return ShapeAt(static_cast<size_t>(kind), kCellIndices);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth::nn {

HWY_EXPORT(RunFloats);
HWY_EXPORT(RunDoubles);
HWY_EXPORT(ShapeOfTarget);

void RunCell(CellKind kind, CellPhase phase, const CellStep<float>& step) {
  HWY_DYNAMIC_DISPATCH(RunFloats)(kind, phase, step);
}

void RunCell(CellKind kind, CellPhase phase, const CellStep<double>& step) {
  HWY_DYNAMIC_DISPATCH(RunDoubles)(kind, phase, step);
}

const CellShape& ShapeOf(CellKind kind) {
  return HWY_DYNAMIC_DISPATCH(ShapeOfTarget)(kind);
}

}  // namespace firth::nn
#endif  // HWY_ONCE
