// Subsampling of frequent words.

#ifndef FIRTH_VOCAB_SUBSAMPLER_H_
#define FIRTH_VOCAB_SUBSAMPLER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_id.h"

namespace firth {

// Keeps an occurrence of a word of relative frequency f with probability
// sqrt(t/f) + t/f, at most 1, like word2vec.c; the paper (Mikolov et al. 2013,
// eq. 5) has only sqrt(t/f). f is the word's fraction of the vocabulary's
// tokens. Immutable; safe for all threads.
class Subsampler {
 public:
  // `threshold` is t; 0 keeps everything.
  Subsampler(absl::Span<const uint64_t> counts, double threshold);

  // `bits` must be 32 uniform random bits.
  bool Keeps(WordId word, uint32_t bits) const { return bits <= LimitOf(word); }

  // Returns the probability of keeping an occurrence of `word`.
  double KeepProbability(WordId word) const;

 private:
  // Without a branch, which would be mispredicted for many frequent words.
  uint32_t LimitOf(WordId word) const {
    return limits_[std::min<size_t>(Index(word), limits_.size() - 1)];
  }

  // Largest bits with which each word is kept. Ends with a number for all words
  // after the last one that is not always kept. If the vocabulary is in the
  // order of counts, it covers the frequent words.
  std::vector<uint32_t> limits_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_SUBSAMPLER_H_
