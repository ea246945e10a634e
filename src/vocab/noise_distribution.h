// The words that negative sampling and NCE tell from the true one.

#ifndef FIRTH_VOCAB_NOISE_DISTRIBUTION_H_
#define FIRTH_VOCAB_NOISE_DISTRIBUTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/prefetch.h"
#include "base/rng.h"
#include "firth/word_id.h"

namespace firth {

// Draws words with probability proportional to count^exponent, in constant time
// by the alias method (Walker 1977; Vose 1991): a uniform column, then one of
// the two words that share it. 8 bytes a word: the table of a large vocabulary
// fits into the second-level cache, which word2vec's 400 MB table does not.
// Immutable; safe for all threads.
class NoiseDistribution {
 public:
  // At least one count is above 0. Words of count 0 are never drawn.
  NoiseDistribution(absl::Span<const uint64_t> counts, double exponent);

  WordId Sample(Rng& rng) const { return WordOf(rng.Next()); }

  // The word of 64 random bits.
  WordId WordOf(uint64_t bits) const {
    const uint32_t own = ColumnOf(bits);
    const Column column = columns_[own];
    // Without a branch, which would be mispredicted every other time.
    const uint32_t choose_own =
        -static_cast<uint32_t>(static_cast<uint32_t>(bits) < column.own_share);
    return ToWordId(column.alias ^ ((column.alias ^ own) & choose_own));
  }

  // Asks for the memory that WordOf() reads. Rows that stream through the
  // caches push the table out: without this, every draw waits.
  void Prefetch(uint64_t bits) const {
    PrefetchForRead(&columns_[ColumnOf(bits)]);
  }

  // The probability with which Sample() draws each word: read off the table, so
  // rounding included. [vocab_size], sums to 1.
  std::vector<double> Probabilities() const;

  size_t size() const { return columns_.size(); }

 private:
  struct Column {
    uint32_t own_share;  // in 2^-32 of the column; the rest is the alias's
    uint32_t alias;
  };
  uint32_t ColumnOf(uint64_t bits) const {
    return static_cast<uint32_t>(((bits >> 32) * columns_.size()) >> 32);
  }

  std::vector<Column> columns_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_NOISE_DISTRIBUTION_H_
