// WordKey: the part of a word that hash tables compare and hash in registers.
//
// Loads of 8 bytes replace a loop over bytes, so a token costs two loads and
// one multiplication. The 128-bit product folded to 64 bits spreads every input
// bit (the idea of wyhash).

#ifndef FIRTH_CORPUS_WORD_KEY_H_
#define FIRTH_CORPUS_WORD_KEY_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace firth {

static_assert(std::endian::native == std::endian::little,
              "short words are masked as little-endian numbers");

// Two words of the same size are equal if their keys are equal and, if the size
// is above kInKey, their bytes are equal.
struct WordKey {
  static constexpr size_t kInKey = 16;

  uint64_t head;
  uint64_t tail;
  uint64_t hash;
};

inline uint64_t LoadWord64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// `size` must be at least 1. 8 bytes from `word` on may be read whatever it is.
inline WordKey MakeWordKey(const char* word, size_t size) {
  constexpr uint64_t kSeed1 = 0x9e3779b97f4a7c15u;
  constexpr uint64_t kSeed2 = 0xe7037ed1a0b428dbu;
  // Avoids branches, since the length of the next word is unpredictable. GCC 12
  // would compile a comparison to a branch, so two masks are computed. All bits
  // of if_long are set if the word is longer than 8 bytes, and all bits of
  // if_short if it is not.
  const uint64_t if_long = uint64_t{0} - ((uint64_t{8} - size) >> 63);
  const uint64_t if_short = ~if_long;
  const uint64_t head =
      LoadWord64(word) & (~uint64_t{0} >> ((64 - 8 * size) & if_short));
  const uint64_t tail = LoadWord64(word + ((size - 8) & if_long)) & if_long;
  uint64_t middle = size;
  for (size_t i = 8; i + 8 < size; i += 8) {
    middle = FoldedProduct(middle ^ LoadWord64(word + i), kSeed1);
  }
  return {head, tail, FoldedProduct(head ^ kSeed1, tail ^ middle ^ kSeed2)};
}

}  // namespace firth

#endif  // FIRTH_CORPUS_WORD_KEY_H_
