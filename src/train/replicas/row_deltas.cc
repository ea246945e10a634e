// Compiled once an instruction set.

#include "train/replicas/row_deltas.h"

#include <algorithm>
#include <cmath>

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

// Rows that are sent have no padding: of their last vector, `count` values.
HWY_INLINE FloatVec LoadSome(const float* from, size_t count) {
  const FloatTag d;
  if (count >= FloatLanes()) return hn::LoadU(d, from);
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy_n(from, count, lanes);
  return hn::Load(d, lanes);
}
HWY_INLINE void StoreSome(FloatVec values, size_t count, float* to) {
  const FloatTag d;
  if (count >= FloatLanes()) return hn::StoreU(values, d, to);
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(values, d, lanes);
  std::copy_n(lanes, count, to);
}

// move = row - base. Returns whether all of it is finite.
bool SubtractBaseTarget(SharedRow row, const float* base, size_t dim,
                        float* move) {
  const FloatTag d;
  const FloatVec zero = hn::Zero(d);
  FloatVec zeros = zero;  // what is not finite makes NaN of them
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec moved = hn::Sub(LoadLanes(row, at), hn::Load(d, base + at));
    zeros = hn::MulAdd(moved, zero, zeros);
    StoreSome(moved, dim - at, move + at);
  }
  return hn::AllTrue(d, hn::Eq(zeros, zero));
}

// row += step - move; base += step.
void ReplaceMoveTarget(SharedRow row, float* base, size_t dim,
                       const float* step, const float* move) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec of_all = LoadSome(step + at, dim - at);
    AddToLanes(row, at, hn::Sub(of_all, LoadSome(move + at, dim - at)));
    hn::Store(hn::Add(hn::Load(d, base + at), of_all), d, base + at);
  }
}

// sum = the sum of the moves, [ranks, dim], one every `stride` values. Returns
// the sum's share, see row_deltas.h. `row`, which they move, has padding.
float AddUpTarget(const float* moves, size_t ranks, size_t stride,
                  const float* row, size_t dim, bool saturates, float* sum) {
  const FloatTag d;
  FloatVec squares = hn::Zero(d);
  FloatVec squares_of_sum = hn::Zero(d);
  FloatVec squares_of_row = hn::Zero(d);
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec values = hn::Load(d, row + at);
    squares_of_row = hn::MulAdd(values, values, squares_of_row);
    FloatVec total = hn::Zero(d);
    for (size_t r = 0; r < ranks; ++r) {
      const FloatVec move = LoadSome(moves + r * stride + at, dim - at);
      squares = hn::MulAdd(move, move, squares);
      total = hn::Add(total, move);
    }
    squares_of_sum = hn::MulAdd(total, total, squares_of_sum);
    StoreSome(total, dim - at, sum + at);
  }
  return ShareOfSum(saturates, ranks, hn::GetLane(hn::SumOfLanes(d, squares)),
                    hn::GetLane(hn::SumOfLanes(d, squares_of_sum)),
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
HWY_EXPORT(ReplaceMoveTarget);
HWY_EXPORT(AddUpTarget);

PaddedMatrix CopyOf(const PaddedMatrix& matrix) {
  PaddedMatrix copy(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.rows() * matrix.stride(), copy.data());
  return copy;
}

}  // namespace

ReplicaTable::ReplicaTable(SharedMatrix& table, bool saturates)
    : table_(table), saturates_(saturates), base_(CopyOf(table.Quiet())) {}

bool ReplicaTable::Collect(absl::Span<const size_t> rows, SentNumbers send,
                           std::vector<float>* moves) const {
  moves->resize(rows.size() * cols());
  bool finite = true;
  float* move = moves->data();
  for (const size_t row : rows) {
    finite &= HWY_DYNAMIC_DISPATCH(SubtractBaseTarget)(
        table_.Row(row), base_.Row(row), cols(), move);
    if (send == SentNumbers::kBfloat16) {
      std::transform(move, move + cols(), move, RoundToBfloat16);
    }
    move += cols();
  }
  return finite;
}

void ReplicaTable::Apply(absl::Span<const size_t> rows,
                         absl::Span<const float> moves,
                         absl::Span<const float> steps) {
  size_t at = 0;
  for (const size_t row : rows) {
    HWY_DYNAMIC_DISPATCH(ReplaceMoveTarget)
    (table_.Row(row), base_.Row(row), cols(), &steps[at], &moves[at]);
    at += cols();
  }
}

void ReplicaTable::Settle() {
  std::copy_n(base_.data(), base_.size(), table_.Quiet().data());
}

void ReplicaTable::Restart() {
  std::copy_n(table_.Quiet().data(), base_.size(), base_.data());
}

float ShareOfSum(bool saturates, size_t ranks, float squares,
                 float squares_of_sum, float squares_of_row) {
  const float by_angle =
      squares < squares_of_sum ? squares / squares_of_sum : 1;
  if (saturates) return by_angle;
  // A move of this part of the row has gone 1 - 1/e of its way.
  constexpr float kPart = 0.5f;
  const auto size = static_cast<float>(ranks);
  const float ways = std::sqrt(squares / (size * squares_of_row)) / kPart;
  if (!(ways > 0)) return 1;
  const float by_length = std::expm1(-size * ways) / (size * std::expm1(-ways));
  return std::max(by_angle, by_length);
}

// A row moves by its step less its move, so that it keeps what the move lacks.
void RoundSteps(absl::Span<float> steps, absl::Span<float> moves) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const float rounded = RoundToBfloat16(steps[i]);
    moves[i] -= steps[i] - rounded;
    steps[i] = rounded;
  }
}

void AddUpMoves(absl::Span<const float> moves, size_t ranks,
                const ReplicaTable& table, absl::Span<const size_t> rows,
                float* steps) {
  const size_t cols = table.cols();
  const size_t values = moves.size() / ranks;
  for (size_t at = 0; at < values; at += cols) {
    const float share = HWY_DYNAMIC_DISPATCH(AddUpTarget)(
        moves.data() + at, ranks, values, table.Base(rows[at / cols]), cols,
        table.saturates(), steps + at);
    for (size_t i = 0; i < cols; ++i) steps[at + i] *= share;
  }
}

}  // namespace firth
#endif  // HWY_ONCE
