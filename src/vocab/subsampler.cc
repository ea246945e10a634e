#include "vocab/subsampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace firth {
namespace {

constexpr uint32_t kAlways = std::numeric_limits<uint32_t>::max();

}  // namespace

Subsampler::Subsampler(absl::Span<const uint64_t> counts, double threshold) {
  limits_.push_back(kAlways);
  if (threshold <= 0) return;
  const auto total = static_cast<double>(
      std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double ratio = threshold * total / static_cast<double>(counts[i]);
    const double keep = std::min(std::sqrt(ratio) + ratio, 1.0);
    const auto limit = static_cast<uint32_t>(keep * kAlways);
    if (limit == kAlways) continue;
    limits_.resize(i + 2, kAlways);
    limits_[i] = limit;
  }
}

double Subsampler::KeepProbability(WordId word) const {
  return (LimitOf(word) + 1.0) / 4294967296.0;
}

}  // namespace firth
