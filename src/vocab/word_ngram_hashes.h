// The hashes of word n-grams, computed like fastText 0.9.2 from the hashes of
// the words: h(w_1 ... w_n) = h(w_1 ... w_(n-1)) * 116049371 + h(w_n), in 64
// bits.

#ifndef FIRTH_VOCAB_WORD_NGRAM_HASHES_H_
#define FIRTH_VOCAB_WORD_NGRAM_HASHES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace firth {

// Calls visit(hash) for each n-gram of 2 to `longest` consecutive words,
// ordered by the first word, then by length. words: the NGramHash() of each
// word.
template <class Visit>
void ForEachWordNGramHash(absl::Span<const uint32_t> words, size_t longest,
                          Visit visit) {
  // fastText stores the hashes in int32_t, so widening extends the sign.
  const auto widened = [&](size_t at) {
    return static_cast<uint64_t>(int64_t{static_cast<int32_t>(words[at])});
  };
  for (size_t begin = 0; begin < words.size(); ++begin) {
    uint64_t hash = widened(begin);
    const size_t end = std::min(words.size(), begin + longest);
    for (size_t at = begin + 1; at < end; ++at) {
      hash = hash * 116049371 + widened(at);
      visit(hash);
    }
  }
}

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_NGRAM_HASHES_H_
