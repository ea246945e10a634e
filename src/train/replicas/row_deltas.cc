// Compiled once an instruction set.

#include "train/replicas/row_deltas.h"

#include <algorithm>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/replicas/row_deltas.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// delta = row - base.
void SubtractBaseTarget(SharedRow row, const float* base, size_t dim,
                        float* delta) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    hn::Store(hn::Sub(LoadLanes(row, at), hn::Load(d, base + at)), d,
              delta + at);
  }
}

// row += mean - delta; base += mean.
void ReplaceDeltaTarget(SharedRow row, float* base, size_t dim,
                        const float* mean, const float* delta) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec step = hn::Load(d, mean + at);
    AddToLanes(row, at, hn::Sub(step, hn::Load(d, delta + at)));
    hn::Store(hn::Add(hn::Load(d, base + at), step), d, base + at);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {
namespace {

HWY_EXPORT(SubtractBaseTarget);
HWY_EXPORT(ReplaceDeltaTarget);

PaddedMatrix CopyOf(const PaddedMatrix& matrix) {
  PaddedMatrix copy(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.rows() * matrix.stride(), copy.data());
  return copy;
}

}  // namespace

ReplicaTable::ReplicaTable(SharedMatrix& table)
    : table_(table), base_(CopyOf(table.Quiet())) {}

bool ReplicaTable::Collect(size_t begin, size_t end, std::vector<float>* out) {
  if (moved_.rows() < end - begin) {
    moved_ = PaddedMatrix(end - begin, table_.cols());
  }
  const size_t cols = table_.cols();
  float sum = 0;  // is finite if all values are: what is not spreads
  for (size_t row = begin; row < end; ++row) {
    float* const delta = moved_.Row(row - begin);
    HWY_DYNAMIC_DISPATCH(SubtractBaseTarget)
    (table_.Row(row), base_.Row(row), cols, delta);
    const bool moved = std::any_of(delta, delta + cols,
                                   [](float value) { return value != 0; });
    for (size_t i = 0; i < cols; ++i) sum += delta[i] * 0;
    out->insert(out->end(), delta, delta + cols);
    out->push_back(moved ? 1.0f : 0.0f);
  }
  return sum == 0;
}

void ReplicaTable::Apply(size_t begin, size_t end, absl::Span<const float> sums,
                         float least) {
  const size_t cols = table_.cols();
  PaddedMatrix step(1, cols);
  for (size_t row = begin; row < end; ++row) {
    const float* const sum = sums.data() + (row - begin) * SentValues();
    if (sum[cols] == 0) continue;
    const float share = 1 / std::max(sum[cols], least);
    for (size_t i = 0; i < cols; ++i) step.Row(0)[i] = sum[i] * share;
    HWY_DYNAMIC_DISPATCH(ReplaceDeltaTarget)
    (table_.Row(row), base_.Row(row), cols, step.Row(0),
     moved_.Row(row - begin));
  }
}

}  // namespace firth
#endif  // HWY_ONCE
