// Sampling of words by rank, for vocabularies in order of falling frequency:
//
//   p(w) = ln((w + 2) / (w + 1)) / ln(V + 1)        w = 0 .. V - 1
//
// Zipf's law in closed form, as in TensorFlow's log-uniform candidate sampler.

#ifndef FIRTH_NN_LOG_UNIFORM_H_
#define FIRTH_NN_LOG_UNIFORM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.h"

namespace firth::nn {

class LogUniform {
 public:
  explicit LogUniform(size_t vocab_size);

  size_t vocab_size() const { return vocab_size_; }
  double Probability(uint32_t word) const;
  uint32_t Sample(Rng& rng) const;

  // Draws until `words` has `count` different words, count <= vocab_size.
  // Returns the number of draws.
  uint64_t SampleUnique(size_t count, Rng& rng,
                        std::vector<uint32_t>* words) const;

 private:
  size_t vocab_size_;
  double log_range_;
};

// Returns the expected number of times, 1 - (1 - p)^draws, that a word of this
// probability is among the different words of so many draws.
double ExpectedCount(double probability, uint64_t draws);

}  // namespace firth::nn

#endif  // FIRTH_NN_LOG_UNIFORM_H_
