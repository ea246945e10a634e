// The distribution of the noise words of negative sampling and NCE.

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
// the two words that share it. The table takes 8 bytes per word, so that of a
// large vocabulary fits into the second-level cache, unlike word2vec's table of
// 400 MB. Immutable; safe for all threads.
class NoiseDistribution {
 public:
  // At least one count must be above 0. Words of count 0 are never drawn.
  NoiseDistribution(absl::Span<const uint64_t> counts, double exponent);

  WordId Sample(Rng& rng) const { return WordOf(rng.Next()); }

  // Returns the word for 64 random bits.
  WordId WordOf(uint64_t bits) const {
    const uint32_t own = ColumnOf(bits);
    const Column column = columns_[own];
    // Avoids a branch, which would be mispredicted half of the time.
    const uint32_t choose_own =
        -static_cast<uint32_t>(static_cast<uint32_t>(bits) < column.own_share);
    return ToWordId(column.alias ^ ((column.alias ^ own) & choose_own));
  }

  // Prefetches the memory that WordOf() reads. Rows evict the table from the
  // caches, so every draw would wait without this.
  void Prefetch(uint64_t bits) const {
    PrefetchForRead(&columns_[ColumnOf(bits)]);
  }

  // Returns the probability with which Sample() draws each word, computed from
  // the table and thus including rounding. [vocab_size], sums to 1.
  std::vector<double> Probabilities() const;

  size_t size() const { return columns_.size(); }

 private:
  struct Column {
    // The part of the column that belongs to its own word, in units of 2^-32.
    // The rest belongs to `alias`.
    uint32_t own_share;
    uint32_t alias;
  };
  uint32_t ColumnOf(uint64_t bits) const {
    return static_cast<uint32_t>(((bits >> 32) * columns_.size()) >> 32);
  }

  std::vector<Column> columns_;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_NOISE_DISTRIBUTION_H_
