#include "simd/log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/log_sum_exp.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

HWY_EXPORT(LogSumExpTarget);

float LogSumExp(const float* scores, size_t count) {
  return HWY_DYNAMIC_DISPATCH(LogSumExpTarget)(scores, count);
}

}  // namespace firth
#endif  // HWY_ONCE
