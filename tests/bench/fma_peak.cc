#include "bench/fma_peak.h"

#include <algorithm>

#include "bench/cpu_clock.h"
#include "simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Chains of dependent sums side by side: more than latency times throughput
// (4 cycles of 2) needs, fewer than the 16 registers of AVX2 hold.
constexpr size_t kChains = 12;

double MultiplyAddsTarget(size_t rounds) {
  const hn::ScalableTag<float> d;
  // Through volatile, so that the compiler cannot compute the result. The sums
  // go to 1, far from denormal numbers.
  volatile float decay = 0.999f;
  volatile float growth = 0.001f;
  const auto factor = hn::Set(d, decay);
  const auto term = hn::Set(d, growth);
  decltype(hn::Zero(d)) sums[kChains];
  // In registers, whatever a compiler makes of loops by itself.
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) sums[i] = term;
  for (size_t round = 0; round < rounds; ++round) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kChains; ++i) {
      sums[i] = hn::MulAdd(sums[i], factor, term);
    }
  }
  auto total = hn::Zero(d);
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) total = hn::Add(total, sums[i]);
  volatile float used = hn::GetLane(total);
  static_cast<void>(used);
  return 2.0 * static_cast<double>(rounds * kChains * hn::Lanes(d));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(MultiplyAddsTarget);

double RunMultiplyAdds(size_t rounds) {
  return HWY_DYNAMIC_DISPATCH(MultiplyAddsTarget)(rounds);
}

double MeasureFmaPeak() {
  constexpr int kRuns = 40;
  constexpr size_t kRounds = 2'000'000;
  double peak = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double start = CpuSeconds();
    const double flops = RunMultiplyAdds(kRounds);
    peak = std::max(peak, flops / (CpuSeconds() - start));
  }
  return peak;
}

}  // namespace firth
#endif  // HWY_ONCE
