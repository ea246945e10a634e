#include "nn/log_uniform.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "base/check.h"

namespace firth::nn {

LogUniform::LogUniform(size_t vocab_size)
    : vocab_size_(vocab_size),
      log_range_(std::log1p(static_cast<double>(vocab_size))) {
  FIRTH_CHECK(vocab_size > 0);
}

double LogUniform::Probability(uint32_t word) const {
  return std::log1p(1 / (1.0 + word)) / log_range_;
}

uint32_t LogUniform::Sample(Rng& rng) const {
  const double uniform = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
  const double value = std::expm1(uniform * log_range_);
  // Rounding may result in vocab_size itself.
  return static_cast<uint32_t>(
      std::min(value, static_cast<double>(vocab_size_ - 1)));
}

uint64_t LogUniform::SampleUnique(size_t count, Rng& rng,
                                  std::vector<uint32_t>* words) const {
  FIRTH_CHECK(count <= vocab_size_);
  absl::flat_hash_set<uint32_t> seen;
  seen.reserve(count);
  words->clear();
  uint64_t draws = 0;
  while (words->size() < count) {
    const uint32_t word = Sample(rng);
    ++draws;
    if (seen.insert(word).second) words->push_back(word);
  }
  return draws;
}

double ExpectedCount(double probability, uint64_t draws) {
  return -std::expm1(static_cast<double>(draws) * std::log1p(-probability));
}

}  // namespace firth::nn
