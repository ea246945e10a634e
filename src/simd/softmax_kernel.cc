// Full softmax for a batch of hidden vectors h_b and all output rows u_w.
//
//   S_wb = u_w . h_b      P_wb = exp(S_wb - Z_b),  Z_b = ln sum_w exp(S_wb)
//   f_b = -learning_rate |T_b|                     T_b: the targets of b
//   h_b += f_b sum_w P_wb u_w + learning_rate sum_{t in T_b} u_t
//   u_w += sum_b f_b P_wb h_b + learning_rate sum_{b, t in T_b: t = w} h_b
//
// Idea: there are three products, 6 V B d flops, and the rest is small. A BLAS
// copies both matrices of each product into its own order and, with a batch of
// 64, reaches half of the core's speed. Here they are already stored as needed.
// Scores have one word per row and one example per column, so that
//   scores        U H^T     elements of U times rows of the transposed H
//   hidden steps  P^T U     elements of P times rows of U
//   output steps  P H       elements of P times rows of H
// are one kernel: tiles of 6 rows x 2 vectors of columns, 12 accumulators, 2
// vectors and an element (15 of AVX2's 16 registers), without packing. Words
// are processed in chunks whose rows and scores stay in the second-level cache;
// a strip of columns stays in the first. Maximum and sum of exponentials are
// updated as soon as a strip is scored (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018). Scores become exponentials
// relative to their chunk's maximum immediately, and the missing factor of P,
// one per chunk and example, is multiplied into the h_b and their steps.
//
// With 20,000 words, batch 64 and AVX2, the whole step reaches 72 GFLOP/s at
// dim 100 and 300, 79% of the core's FMA peak (OpenBLAS's products alone: 40 to
// 65).

#include "simd/softmax_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/softmax_kernel.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/exp-inl.h"
#include "simd/row_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

constexpr size_t kTileRows = 6;
constexpr size_t kTileVecs = 2;

// Operands of a product: elements by number, vectors of columns by row.
struct PrivateElements {
  const float* data;
  size_t row_stride;
  size_t depth_stride;
  HWY_INLINE FloatVec operator()(size_t row, size_t depth) const {
    return hn::Set(FloatTag(), data[row * row_stride + depth * depth_stride]);
  }
};
struct SharedElements {
  SharedRow first;
  size_t stride;
  HWY_INLINE FloatVec operator()(size_t row, size_t depth) const {
    return hn::Set(FloatTag(), LoadElement(first, row * stride + depth));
  }
};
struct PrivateRows {
  const float* data;
  size_t stride;
  HWY_INLINE FloatVec operator()(size_t row, size_t at) const {
    return hn::Load(FloatTag(), data + row * stride + at);
  }
};
struct SharedRows {
  SharedRow first;
  size_t stride;
  HWY_INLINE FloatVec operator()(size_t row, size_t at) const {
    return LoadLanes(first, row * stride + at);
  }
};

// Computes a tile of sum_k elements(i, k) rows(k, j), from i0 and column j0 on,
// and calls out(i, j, sum) for its vectors.
template <size_t kRows, size_t kVecs, class Elements, class Rows, class Out>
HWY_INLINE void Tile(size_t i0, size_t j0, size_t depth,
                     const Elements& elements, const Rows& rows,
                     const Out& out) {
  const FloatTag d;
  FloatVec sums[kRows * kVecs];
  HWY_UNROLL(12)
  for (size_t k = 0; k < kRows * kVecs; ++k) sums[k] = hn::Zero(d);
  HWY_UNROLL(2)
  for (size_t k = 0; k < depth; ++k) {
    FloatVec y[kVecs];
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVecs; ++v) y[v] = rows(k, j0 + v * FloatLanes());
    HWY_UNROLL(6)
    for (size_t i = 0; i < kRows; ++i) {
      const FloatVec x = elements(i0 + i, k);
      HWY_UNROLL(2)
      for (size_t v = 0; v < kVecs; ++v) {
        sums[i * kVecs + v] = hn::MulAdd(x, y[v], sums[i * kVecs + v]);
      }
    }
  }
  HWY_UNROLL(6)
  for (size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVecs; ++v) {
      out(i0 + i, j0 + v * FloatLanes(), sums[i * kVecs + v]);
    }
  }
}

// Computes `num_rows` rows of the product in a strip of kVecs vectors at column
// j0.
template <size_t kVecs, class Elements, class Rows, class Out>
HWY_INLINE void Strip(size_t num_rows, size_t j0, size_t depth,
                      const Elements& elements, const Rows& rows,
                      const Out& out) {
  size_t i = 0;
  for (; i + kTileRows <= num_rows; i += kTileRows) {
    Tile<kTileRows, kVecs>(i, j0, depth, elements, rows, out);
  }
  if (i + 4 <= num_rows) {
    Tile<4, kVecs>(i, j0, depth, elements, rows, out);
    i += 4;
  }
  if (i + 2 <= num_rows) {
    Tile<2, kVecs>(i, j0, depth, elements, rows, out);
    i += 2;
  }
  if (i < num_rows) Tile<1, kVecs>(i, j0, depth, elements, rows, out);
}

// Computes all strips, and calls after(vectors, j0) after each.
template <class Elements, class Rows, class Out, class After>
HWY_INLINE void Multiply(size_t num_rows, size_t columns, size_t depth,
                         const Elements& elements, const Rows& rows,
                         const Out& out, const After& after) {
  const size_t lanes = FloatLanes();
  size_t j = 0;
  for (; j + kTileVecs * lanes <= columns; j += kTileVecs * lanes) {
    Strip<kTileVecs>(num_rows, j, depth, elements, rows, out);
    after(kTileVecs, j);
  }
  if (j < columns) {
    Strip<1>(num_rows, j, depth, elements, rows, out);
    after(1, j);
  }
}

class SoftmaxStepper {
 public:
  HWY_INLINE SoftmaxStepper(float learning_rate, SoftmaxBatch& batch,
                            SharedMatrix& output)
      : learning_rate_(learning_rate),
        batch_(batch),
        output_(output),
        dim_(output.cols()),
        dim_columns_(VisitedColumns(output.cols())),
        example_columns_(VisitedColumns(batch.size())) {}

  HWY_INLINE double Step() {
    TransposeHidden();
    StartSums();
    for (size_t w = 0; w < output_.rows(); w += kSoftmaxChunk) ScoreChunk(w);
    SetNormalizers();
    const double loss = LossAndTargetSteps();
    for (size_t w = 0; w < output_.rows(); w += kSoftmaxChunk) UpdateChunk(w);
    for (size_t b = 0; b < batch_.size(); ++b) {
      for (const uint32_t target : batch_.TargetsOf(b)) {
        AddScaled(learning_rate_, batch_.hidden.Row(b), dim_columns_,
                  output_.Row(target));
      }
    }
    return loss;
  }

 private:
  // Rows of batch.sums: the maximum score so far; the sum of exponentials
  // relative to it, which SetNormalizers() replaces by Z; and f.
  float* greatest() { return batch_.sums.Row(0); }
  float* normalizer() { return batch_.sums.Row(1); }
  float* factors() { return batch_.sums.Row(2); }

  size_t ChunkSize(size_t first) const {
    return std::min(kSoftmaxChunk, output_.rows() - first);
  }

  HWY_INLINE void TransposeHidden() {
    for (size_t k = 0; k < dim_; ++k) {
      float* const to = batch_.hidden_columns.Row(k);
      for (size_t b = 0; b < batch_.size(); ++b) {
        to[b] = batch_.hidden.Row(b)[k];
      }
      std::fill(to + batch_.size(), to + example_columns_, 0.0f);
    }
  }

  HWY_INLINE void StartSums() {
    std::fill_n(greatest(), example_columns_,
                std::numeric_limits<float>::lowest());
    std::fill_n(normalizer(), example_columns_, 0.0f);
    for (size_t b = 0; b < batch_.size(); ++b) {
      factors()[b] =
          -learning_rate_ * static_cast<float>(batch_.TargetsOf(b).size());
    }
    std::fill(factors() + batch_.size(), factors() + example_columns_, 0.0f);
  }

  HWY_INLINE void ScoreChunk(size_t first) {
    float* const scores = batch_.scores.Row(first);
    const size_t stride = batch_.scores.stride();
    const size_t count = ChunkSize(first);
    Multiply(
        count, example_columns_, dim_,
        SharedElements{output_.Row(first), output_.stride()},
        PrivateRows{batch_.hidden_columns.data(),
                    batch_.hidden_columns.stride()},
        [&](size_t word, size_t at, FloatVec score) HWY_ATTR {
          hn::Store(score, FloatTag(), scores + word * stride + at);
        },
        [&](size_t vectors, size_t at) HWY_ATTR {
          for (size_t v = 0; v < vectors; ++v) {
            Exponentials(first / kSoftmaxChunk, count, at + v * FloatLanes());
          }
        });
  }

  // Converts the scores of a chunk to exponentials relative to their maximum.
  HWY_INLINE void Exponentials(size_t chunk, size_t count, size_t at) {
    const FloatTag d;
    const FloatVec zero = hn::Zero(d);
    float* const scores = batch_.scores.Row(chunk * kSoftmaxChunk) + at;
    const size_t stride = batch_.scores.stride();
    FloatVec top = hn::Load(d, scores);
    for (size_t i = 1; i < count; ++i) {
      top = hn::Max(top, hn::Load(d, scores + i * stride));
    }
    hn::Store(top, d, batch_.greatest.Row(chunk) + at);
    FloatVec sum = zero;
    // Max and exp may hide a NaN, but 0 * NaN does not.
    FloatVec nan_check = zero;
    for (size_t i = 0; i < count; ++i) {
      const FloatVec below = hn::Sub(hn::Load(d, scores + i * stride), top);
      const FloatVec e = BoundedExp(d, below);
      sum = hn::Add(sum, e);
      nan_check = hn::MulAdd(below, zero, nan_check);
      hn::Store(e, d, scores + i * stride);
    }
    const FloatVec old_top = hn::Load(d, greatest() + at);
    const FloatVec new_top = hn::Max(old_top, top);
    const FloatVec old_sum = hn::Load(d, normalizer() + at);
    const FloatVec new_sum = hn::MulAdd(
        old_sum, BoundedExp(d, hn::Sub(old_top, new_top)),
        hn::MulAdd(sum, BoundedExp(d, hn::Sub(top, new_top)), nan_check));
    hn::Store(new_top, d, greatest() + at);
    hn::Store(new_sum, d, normalizer() + at);
  }

  void SetNormalizers() {
    for (size_t at = 0; at < example_columns_; ++at) {
      normalizer()[at] = greatest()[at] + std::log(normalizer()[at]);
    }
  }

  // Computes the losses, and the contribution of targets to the hidden steps.
  HWY_INLINE double LossAndTargetSteps() {
    const FloatTag d;
    double loss = 0;
    for (size_t b = 0; b < batch_.size(); ++b) {
      const absl::Span<const uint32_t> targets = batch_.TargetsOf(b);
      float* const step = batch_.hidden_steps.Row(b);
      std::fill_n(step, dim_columns_, 0.0f);
      FloatVec scores = hn::Zero(d);
      for (const uint32_t target : targets) {
        const SharedRow row = output_.Row(target);
        const float* const hidden = batch_.hidden.Row(b);
        for (size_t at = 0; at < dim_columns_; at += FloatLanes()) {
          const FloatVec lanes = LoadLanes(row, at);
          scores = hn::MulAdd(lanes, hn::Load(d, hidden + at), scores);
          hn::Store(hn::MulAdd(hn::Set(d, learning_rate_), lanes,
                               hn::Load(d, step + at)),
                    d, step + at);
        }
      }
      loss += static_cast<double>(targets.size()) * normalizer()[b] -
              hn::GetLane(hn::SumOfLanes(d, scores));
    }
    return loss;
  }

  HWY_INLINE void UpdateChunk(size_t first) {
    const FloatTag d;
    const size_t count = ChunkSize(first);
    const float* const shares = batch_.scores.Row(first);
    const size_t stride = batch_.scores.stride();
    // The factors by which the exponentials must be multiplied to give f P.
    float* const scale = batch_.greatest.Row(first / kSoftmaxChunk);
    for (size_t at = 0; at < example_columns_; at += FloatLanes()) {
      const FloatVec below =
          hn::Sub(hn::Load(d, scale + at), hn::Load(d, normalizer() + at));
      hn::Store(hn::Mul(hn::Load(d, factors() + at), BoundedExp(d, below)), d,
                scale + at);
    }
    Multiply(
        batch_.size(), dim_columns_, count, PrivateElements{shares, 1, stride},
        SharedRows{output_.Row(first), output_.stride()},
        [&](size_t b, size_t at, FloatVec sum) HWY_ATTR {
          AddToLanes(PrivateRow{batch_.hidden_steps.Row(b)}, at,
                     hn::Mul(hn::Set(d, scale[b]), sum));
        },
        [](size_t, size_t) {});
    for (size_t b = 0; b < batch_.size(); ++b) {
      const FloatVec factor = hn::Set(d, scale[b]);
      for (size_t at = 0; at < dim_columns_; at += FloatLanes()) {
        hn::Store(hn::Mul(factor, hn::Load(d, batch_.hidden.Row(b) + at)), d,
                  batch_.scaled_hidden.Row(b) + at);
      }
    }
    Multiply(
        count, dim_columns_, batch_.size(), PrivateElements{shares, stride, 1},
        PrivateRows{batch_.scaled_hidden.data(), batch_.scaled_hidden.stride()},
        [&](size_t word, size_t at, FloatVec sum)
            HWY_ATTR { AddToLanes(output_.Row(first + word), at, sum); },
        [](size_t, size_t) {});
  }

  float learning_rate_;
  SoftmaxBatch& batch_;
  SharedMatrix& output_;
  size_t dim_;
  size_t dim_columns_;
  size_t example_columns_;
};

double StepSoftmaxTarget(float learning_rate, SoftmaxBatch& batch,
                         SharedMatrix& output) {
  return SoftmaxStepper(learning_rate, batch, output).Step();
}

float LogSumExpTarget(const float* scores, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t whole = count - count % lanes;
  float greatest = -std::numeric_limits<float>::infinity();
  auto greatest_lanes = hn::Set(d, greatest);
  for (size_t i = 0; i < whole; i += lanes) {
    greatest_lanes = hn::Max(greatest_lanes, hn::LoadU(d, scores + i));
  }
  greatest = hn::GetLane(hn::MaxOfLanes(d, greatest_lanes));
  for (size_t i = whole; i < count; ++i) {
    greatest = std::max(greatest, scores[i]);
  }
  const auto shift = hn::Set(d, greatest);
  auto sums = hn::Zero(d);
  // Exp and Max may hide a NaN, but 0 * NaN does not.
  auto nan_check = hn::Zero(d);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto difference = hn::Sub(hn::LoadU(d, scores + i), shift);
    sums = hn::Add(sums, BoundedExp(d, difference));
    nan_check = hn::MulAdd(difference, hn::Zero(d), nan_check);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums, nan_check)));
  for (size_t i = whole; i < count; ++i) sum += std::exp(scores[i] - greatest);
  return greatest + std::log(sum);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(StepSoftmaxTarget);

double StepSoftmax(float learning_rate, SoftmaxBatch& batch,
                   SharedMatrix& output) {
  if (batch.empty()) return 0;
  return HWY_DYNAMIC_DISPATCH(StepSoftmaxTarget)(learning_rate, batch, output);
}

HWY_EXPORT(LogSumExpTarget);

float LogSumExp(const float* scores, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LogSumExpTarget)(scores, count);
}

}  // namespace firth
#endif  // HWY_ONCE
