// Thins out frequent words.

#ifndef FIRTH_VOCAB_SUBSAMPLER_H_
#define FIRTH_VOCAB_SUBSAMPLER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "firth/word_id.h"

namespace firth {

// Keeps an occurrence of a word of relative frequency f with probability
// sqrt(t/f) + t/f, at most 1. That is what word2vec.c does; the paper (Mikolov
// et al. 2013, eq. 5) has sqrt(t/f) alone. f is the share of the vocabulary's
// tokens. Immutable; safe for all threads.
class Subsampler {
 public:
  // threshold: t, 0 keeps everything.
  Subsampler(absl::Span<const uint64_t> counts, double threshold);

  // `bits`: 32 uniform random bits.
  bool Keeps(WordId word, uint32_t bits) const {
    return Index(word) >= limits_.size() || bits <= limits_[Index(word)];
  }

  // The probability of keeping an occurrence of `word`.
  double KeepProbability(WordId word) const;

 private:
  // Up to the last word that is not always kept: of a vocabulary in the order
  // of counts, the frequent ones.
  std::vector<uint32_t> limits_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_SUBSAMPLER_H_
