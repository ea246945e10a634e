// The step of a group of hidden vectors (CBOW): each has an output of its own,
// its target, and all share the noise words. The window step
// (window_kernel-inl.h) would also score each of them against the targets of
// the others.

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"
#include "simd/targets.h"
#include "simd/window_block.h"

#if defined(FIRTH_SIMD_HIDDEN_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_SIMD_HIDDEN_KERNEL_INL_H_
#undef FIRTH_SIMD_HIDDEN_KERNEL_INL_H_
#else
#define FIRTH_SIMD_HIDDEN_KERNEL_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/shared_row-inl.h"
#include "simd/window_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Rows of a tile of scores whose inputs have outputs of their own.
constexpr size_t kOwnRows = HWY_TARGET <= HWY_AVX3 ? 3 : 2;

// Computes the first kCols scores of kRows inputs, from i0. Column 0 is the
// score with the input's own output, and the others are those of the outputs
// from number m on. All inputs have the same row of offsets, which begins with
// that of output m - 1. Column 0 is therefore changed by the difference from
// the offset of the own output.
template <size_t kRows, size_t kCols>
HWY_INLINE void ScoreOwnTile(const HiddenInputs& inputs, size_t i0,
                             const OutputBlock& outputs, size_t m,
                             size_t columns, StepBlock& scores) {
  const FloatTag d;
  const SharedRow* const own = outputs.rows.data() + i0;
  const SharedRow* const shared = outputs.rows.data() + m;
  FloatVec sums[kRows * kCols];
  HWY_UNROLL(18)
  for (size_t k = 0; k < kRows * kCols; ++k) sums[k] = hn::Zero(d);
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    FloatVec x[kRows];
    HWY_UNROLL(3)
    for (size_t i = 0; i < kRows; ++i) {
      x[i] = inputs.Load(i0 + i, at);
      sums[i * kCols] =
          hn::MulAdd(x[i], LoadLanes(own[i], at), sums[i * kCols]);
    }
    HWY_UNROLL(6)
    for (size_t j = 1; j < kCols; ++j) {
      const FloatVec row = LoadLanes(shared[j - 1], at);
      const FloatVec y = kRows > 1 ? InRegister(row) : row;
      HWY_UNROLL(3)
      for (size_t i = 0; i < kRows; ++i) {
        sums[i * kCols + j] = hn::MulAdd(x[i], y, sums[i * kCols + j]);
      }
    }
  }
  const StepTag steps;
  const float* const offsets = outputs.offsets();
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kCols; j += kStepLanes) {
      StepVec of_input = SumsOf(sums + i * kCols + j, kCols - j);
      if (j == 0) {
        const StepVec more = hn::Set(steps, offsets[i0 + i] - offsets[m - 1]);
        of_input =
            hn::Sub(of_input, hn::IfThenElseZero(hn::FirstN(steps, 1), more));
      }
      hn::StoreU(of_input, steps, scores.Row(i0 + i) + j);
    }
  }
}

// Makes the step of m (at most kMostSharing) hidden vectors, each of which has
// an output of its own: the one with its number. All of these have the same
// label. The outputs from number m on, which are noise, are shared. Column 0 of
// `steps` has those of the own outputs, and column 1 + j that of output m + j.
template <class Row>
HWY_NOINLINE void StepHiddenVectors(const HiddenInputs& inputs, size_t m,
                                    const Row* rows, const OutputBlock& outputs,
                                    float learning_rate, size_t columns,
                                    absl::Span<const SharedRow> wanted,
                                    StepBlock& steps, LossSum& losses) {
  const OutputRows of_one = outputs.From(m - 1);
  const size_t first = std::min(of_one.size, kTileCols);
  WithCols(first, [&](auto cols) HWY_ATTR {
    if constexpr (cols() <= kTileCols) {
      size_t i = 0;
      for (; i + kOwnRows <= m; i += kOwnRows) {
        ScoreOwnTile<kOwnRows, cols()>(inputs, i, outputs, m, columns, steps);
      }
      for (; i + 2 <= m; i += 2) {
        ScoreOwnTile<2, cols()>(inputs, i, outputs, m, columns, steps);
      }
      if (i < m) ScoreOwnTile<1, cols()>(inputs, i, outputs, m, columns, steps);
    }
  });
  if (of_one.size > first) {
    ScoreRows(inputs, m, of_one, first, columns, steps);
  }
  ScoresToSteps(m, of_one, EqualWeights(), learning_rate, steps, losses);
  const OwnRows<Row> own{rows, steps.Row(0), steps.stride()};
  if (of_one.size > 1) {
    UpdateRows(inputs, m, own, rows + m, of_one.size - 1, steps.Row(0) + 1,
               steps.stride(), wanted, columns);
    return;
  }
  for (size_t at = 0; at < columns; at += FloatLanes()) {
    for (size_t i = 0; i < m; ++i) {
      inputs.Step(i, at, own.Step(i, at, inputs.Load(i, at)));
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
