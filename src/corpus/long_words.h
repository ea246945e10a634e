// What is kept of words that are longer than any word may be: their beginnings,
// so that they are counted as too long when they are cleaned.

#ifndef FIRTH_CORPUS_LONG_WORDS_H_
#define FIRTH_CORPUS_LONG_WORDS_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// Bytes of a word that are kept. Cleaning leaves at least a third of a word's
// bytes (the Kelvin sign becomes k): what is cut to these stays above the
// limit.
inline size_t BytesKeptOfLongWord(uint64_t max_word_bytes) {
  constexpr size_t kMayShrink = 4;
  return kMayShrink * (max_word_bytes + 1);
}

// The place to cut a word that is longer than `kept` bytes: there, or up to
// three bytes before, so that no sequence of UTF-8 is cut and becomes invalid.
inline size_t CutOfLongWord(const char* word, size_t kept) {
  for (int i = 0; i < 3 && (word[kept] & 0xC0) == 0x80; ++i) --kept;
  return kept;
}

}  // namespace firth

#endif  // FIRTH_CORPUS_LONG_WORDS_H_
