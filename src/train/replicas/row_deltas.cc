// This file is compiled once per instruction set.

#include "train/replicas/row_deltas.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/replicas/row_deltas.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/load_floats-inl.h"
#include "simd/shared_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

HWY_INLINE void StoreVec(FloatVec values, float* to) {
  hn::StoreU(values, FloatTag(), to);
}
HWY_INLINE void StoreVec(FloatVec values, hwy::bfloat16_t* to) {
  const hn::Rebind<hwy::bfloat16_t, FloatTag> narrow;
  hn::StoreU(hn::DemoteTo(narrow, values), narrow, to);
}
// Rows are sent without padding, so a row's last vector has `count` values.
template <typename Sent>
HWY_INLINE FloatVec LoadSome(const Sent* from, size_t count) {
  if (count >= FloatLanes()) return LoadFloats(FloatTag(), from);
  HWY_ALIGN Sent lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  std::memcpy(lanes, from, count * sizeof(Sent));
  return LoadFloats(FloatTag(), lanes);
}
template <typename Sent>
HWY_INLINE void StoreSome(FloatVec values, size_t count, Sent* to) {
  if (count >= FloatLanes()) return StoreVec(values, to);
  HWY_ALIGN Sent lanes[HWY_MAX_BYTES / sizeof(float)];
  StoreVec(values, lanes);
  std::memcpy(to, lanes, count * sizeof(Sent));
}

// Rounds to the nearest value that can be sent, and ties to even.
HWY_INLINE FloatVec Rounded(FloatVec values, float) { return values; }
HWY_INLINE FloatVec Rounded(FloatVec values, hwy::bfloat16_t) {
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> du;
  const auto bits = hn::BitCast(du, values);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto up = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
  return hn::BitCast(d, hn::And(up, hn::Set(du, 0xffff0000)));
}

// Computes move = row - base. Returns whether all values are finite.
template <typename Sent>
HWY_INLINE bool SubtractBase(SharedRow row, const float* base, size_t dim,
                             Sent* move) {
  const FloatTag d;
  const FloatVec zero = hn::Zero(d);
  FloatVec zeros = zero;  // Values that are not finite turn it into NaN.
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec moved = hn::Sub(LoadLanes(row, at), hn::Load(d, base + at));
    zeros = hn::MulAdd(moved, zero, zeros);
    StoreSome(Rounded(moved, Sent()), dim - at, move + at);
  }
  return hn::AllTrue(d, hn::Eq(zeros, zero));
}

// row += step - move; base += step.
template <typename Sent>
HWY_INLINE void ReplaceMove(SharedRow row, float* base, size_t dim,
                            const Sent* step, const Sent* move) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec of_all = LoadSome(step + at, dim - at);
    AddToLanes(row, at, hn::Sub(of_all, LoadSome(move + at, dim - at)));
    hn::Store(hn::Add(hn::Load(d, base + at), of_all), d, base + at);
  }
}

// Sets `sum` to the sum of the moves, [ranks, dim], which are `stride` values
// apart. Returns the share of the sum, see row_deltas.h. `base`, the row before
// the moves, and `sum` have padding.
template <typename Sent>
HWY_INLINE float SumMoves(const Sent* moves, size_t ranks, size_t stride,
                          const float* base, size_t dim, bool saturates,
                          float* sum) {
  const FloatTag d;
  FloatVec squares = hn::Zero(d);
  FloatVec squares_of_sum = hn::Zero(d);
  FloatVec squares_of_row = hn::Zero(d);
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec values = hn::Load(d, base + at);
    squares_of_row = hn::MulAdd(values, values, squares_of_row);
    FloatVec total = hn::Zero(d);
    for (size_t r = 0; r < ranks; ++r) {
      const FloatVec move = LoadSome(moves + r * stride + at, dim - at);
      squares = hn::MulAdd(move, move, squares);
      total = hn::Add(total, move);
    }
    squares_of_sum = hn::MulAdd(total, total, squares_of_sum);
    hn::Store(total, d, sum + at);
  }
  return ShareOfSum(saturates, ranks, hn::GetLane(hn::SumOfLanes(d, squares)),
                    hn::GetLane(hn::SumOfLanes(d, squares_of_sum)),
                    hn::GetLane(hn::SumOfLanes(d, squares_of_row)));
}

// Computes step = share * sum, and adds the rounding error to `row`.
template <typename Sent>
HWY_INLINE void StepOfSum(SharedRow row, const float* sum, size_t dim,
                          float share, Sent* step) {
  const FloatTag d;
  for (size_t at = 0; at < dim; at += FloatLanes()) {
    const FloatVec whole = hn::Mul(hn::Load(d, sum + at), hn::Set(d, share));
    const FloatVec sent = Rounded(whole, Sent());
    StoreSome(sent, dim - at, step + at);
    if (!std::is_same_v<Sent, float>) {
      AddToLanes(row, at, hn::Sub(whole, sent));
    }
  }
}

// Calls call(x), where x has the type of the numbers that are sent.
template <typename Call>
HWY_INLINE auto WithSent(SentNumbers send, const Call& call) {
  return send == SentNumbers::kFloat32 ? call(float())
                                       : call(hwy::bfloat16_t());
}

bool CollectTarget(SharedRow row, const float* base, size_t dim,
                   SentNumbers send, float* move) {
  return WithSent(send, [&](auto sent) {
    return SubtractBase(row, base, dim,
                        reinterpret_cast<decltype(sent)*>(move));
  });
}

void ApplyTarget(SharedRow row, float* base, size_t dim, SentNumbers send,
                 const float* move, const float* step) {
  WithSent(send, [&](auto sent) {
    using Sent = decltype(sent);
    ReplaceMove(row, base, dim, reinterpret_cast<const Sent*>(step),
                reinterpret_cast<const Sent*>(move));
  });
}

void AddUpTarget(SharedRow row, const float* base, size_t dim, bool saturates,
                 SentNumbers send, const float* moves, size_t ranks,
                 size_t stride, float* sum, float* step) {
  WithSent(send, [&](auto sent) {
    using Sent = decltype(sent);
    constexpr size_t kInAFloat = std::is_same_v<Sent, float> ? 1 : 2;
    const float share = SumMoves(reinterpret_cast<const Sent*>(moves), ranks,
                                 stride * kInAFloat, base, dim, saturates, sum);
    StepOfSum(row, sum, dim, share, reinterpret_cast<Sent*>(step));
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {
namespace {

HWY_EXPORT(CollectTarget);
HWY_EXPORT(ApplyTarget);
HWY_EXPORT(AddUpTarget);

PaddedMatrix CopyOf(const PaddedMatrix& matrix) {
  PaddedMatrix copy(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.rows() * matrix.stride(), copy.data());
  return copy;
}

}  // namespace

ReplicaTable::ReplicaTable(SharedMatrix& table, SentNumbers send,
                           bool saturates)
    : table_(table),
      send_(send),
      saturates_(saturates),
      base_(CopyOf(table.Quiet())),
      sum_(1, table.cols()) {}

size_t ReplicaTable::sent_cols() const {
  return send_ == SentNumbers::kFloat32 ? cols() : (cols() + 1) / 2;
}

bool ReplicaTable::Collect(size_t row, float* move) const {
  return HWY_DYNAMIC_DISPATCH(CollectTarget)(table_.Row(row), base_.Row(row),
                                             cols(), send_, move);
}

void ReplicaTable::AddUp(size_t row, const float* moves, size_t ranks,
                         size_t stride, float* step) {
  HWY_DYNAMIC_DISPATCH(AddUpTarget)
  (table_.Row(row), base_.Row(row), cols(), saturates_, send_, moves, ranks,
   stride, sum_.Row(0), step);
}

void ReplicaTable::Apply(size_t row, const float* move, const float* step) {
  HWY_DYNAMIC_DISPATCH(ApplyTarget)
  (table_.Row(row), base_.Row(row), cols(), send_, move, step);
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
  // A move of this fraction of the row's length has gone 1 - 1/e of its way.
  constexpr float kPart = 0.5f;
  const auto size = static_cast<float>(ranks);
  const float ways = std::sqrt(squares / (size * squares_of_row)) / kPart;
  if (!(ways > 0)) return 1;
  const float by_length = std::expm1(-size * ways) / (size * std::expm1(-ways));
  return std::max(by_angle, by_length);
}

}  // namespace firth
#endif  // HWY_ONCE
