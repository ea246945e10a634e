// Compiled once an instruction set.

#include "train/replicas/row_deltas.h"

#include <algorithm>

#include "simd/targets.h"
#include "train/replicas/narrow_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/replicas/row_deltas.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// delta = row - base. Returns whether all of it is finite.
bool SubtractBaseTarget(SharedRow row, const float* base, size_t dim,
                        float* delta) {
  const FloatTag d;
  const FloatVec zero = hn::Zero(d);
  FloatVec zeros = zero;  // what is not finite makes NaN of them
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec moved = hn::Sub(LoadLanes(row, at), hn::Load(d, base + at));
    zeros = hn::MulAdd(moved, zero, zeros);
    hn::Store(moved, d, delta + at);
  }
  return hn::AllTrue(d, hn::Eq(zeros, zero));
}

// row += step - delta; base += step.
void ReplaceDeltaTarget(SharedRow row, float* base, size_t dim,
                        const float* step, const float* delta) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec of_all = hn::Load(d, step + at);
    AddToLanes(row, at, hn::Sub(of_all, hn::Load(d, delta + at)));
    hn::Store(hn::Add(hn::Load(d, base + at), of_all), d, base + at);
  }
}

// sum = the sum of the moves, [ranks, dim], one every `stride` values. Returns
// the sum's share, see row_deltas.h. `row`, which they move, has padding; what
// is sent has none.
float AddUpTarget(const float* moves, size_t ranks, size_t stride,
                  const float* row, size_t dim, float short_factor,
                  float* sum) {
  const FloatTag d;
  FloatVec squares = hn::Zero(d);
  FloatVec squares_of_sum = hn::Zero(d);
  FloatVec squares_of_row = hn::Zero(d);
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec values = hn::Load(d, row + at);
    squares_of_row = hn::MulAdd(values, values, squares_of_row);
  }
  const size_t whole = dim / FloatLanes() * FloatLanes();
  for (size_t at = 0; at < whole; at += FloatLanes()) {
    FloatVec total = hn::Zero(d);
    for (size_t r = 0; r < ranks; ++r) {
      const FloatVec move = hn::LoadU(d, moves + r * stride + at);
      squares = hn::MulAdd(move, move, squares);
      total = hn::Add(total, move);
    }
    squares_of_sum = hn::MulAdd(total, total, squares_of_sum);
    hn::StoreU(total, d, sum + at);
  }
  float rest = 0;
  float rest_of_sum = 0;
  for (size_t at = whole; at < dim; ++at) {
    float total = 0;
    for (size_t r = 0; r < ranks; ++r) {
      const float move = moves[r * stride + at];
      rest += move * move;
      total += move;
    }
    rest_of_sum += total * total;
    sum[at] = total;
  }
  return ShareOfSum(
      short_factor, ranks, rest + hn::GetLane(hn::SumOfLanes(d, squares)),
      rest_of_sum + hn::GetLane(hn::SumOfLanes(d, squares_of_sum)),
      hn::GetLane(hn::SumOfLanes(d, squares_of_row)));
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
HWY_EXPORT(AddUpTarget);

PaddedMatrix CopyOf(const PaddedMatrix& matrix) {
  PaddedMatrix copy(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.rows() * matrix.stride(), copy.data());
  return copy;
}

}  // namespace

ReplicaTable::ReplicaTable(SharedMatrix& table, float short_factor)
    : table_(table),
      short_factor_(short_factor),
      base_(CopyOf(table.Quiet())) {}

bool ReplicaTable::Collect(size_t begin, size_t end, SentNumbers send,
                           std::vector<float>* out) {
  if (moved_.rows() < end - begin) {
    moved_ = PaddedMatrix(end - begin, cols());
  }
  bool finite = true;
  for (size_t row = begin; row < end; ++row) {
    float* const delta = moved_.Row(row - begin);
    finite &= HWY_DYNAMIC_DISPATCH(SubtractBaseTarget)(
        table_.Row(row), base_.Row(row), cols(), delta);
    if (send == SentNumbers::kBfloat16) {
      std::transform(delta, delta + cols(), delta, RoundToBfloat16);
    }
    out->insert(out->end(), delta, delta + cols());
  }
  return finite;
}

// A row moves by its step less its delta, so that it keeps what the delta
// lacks.
void ReplicaTable::RoundSteps(size_t first, absl::Span<float> steps) {
  for (size_t at = 0; at < steps.size(); at += cols(), ++first) {
    float* const step = &steps[at];
    float* const delta = moved_.Row(first);
    for (size_t i = 0; i < cols(); ++i) {
      const float rounded = RoundToBfloat16(step[i]);
      delta[i] -= step[i] - rounded;
      step[i] = rounded;
    }
  }
}

void ReplicaTable::Apply(size_t begin, size_t end,
                         absl::Span<const float> steps) {
  PaddedMatrix step(1, cols());
  for (size_t row = begin; row < end; ++row) {
    std::copy_n(steps.data() + (row - begin) * cols(), cols(), step.Row(0));
    HWY_DYNAMIC_DISPATCH(ReplaceDeltaTarget)
    (table_.Row(row), base_.Row(row), cols(), step.Row(0),
     moved_.Row(row - begin));
  }
}

void ReplicaTable::Settle() {
  std::copy_n(base_.data(), base_.size(), table_.Quiet().data());
}

void ReplicaTable::Restart() {
  std::copy_n(table_.Quiet().data(), base_.size(), base_.data());
}

float ShareOfSum(float short_factor, size_t ranks, float squares,
                 float squares_of_sum, float squares_of_row) {
  // A rank's move is short below this part of the row's length.
  constexpr float kShort = 0.25f;
  const float most = static_cast<float>(ranks) * kShort * kShort;
  const float factor = squares < most * squares_of_row ? short_factor : 1.0f;
  const float relaxed = factor * squares;
  return relaxed < squares_of_sum ? relaxed / squares_of_sum : 1;
}

void AddUpMoves(absl::Span<const float> moves, size_t ranks,
                const ReplicaTable& table, size_t first, float* steps) {
  const size_t cols = table.cols();
  const size_t values = moves.size() / ranks;
  for (size_t at = 0; at < values; at += cols) {
    const float share = HWY_DYNAMIC_DISPATCH(AddUpTarget)(
        moves.data() + at, ranks, values, table.Base(first++), cols,
        table.short_factor(), steps + at);
    for (size_t i = 0; i < cols; ++i) steps[at + i] *= share;
  }
}

}  // namespace firth
#endif  // HWY_ONCE
