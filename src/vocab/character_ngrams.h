// The character n-grams of a word, and the hashes that other programs compute
// from them and from word n-grams.

#ifndef FIRTH_VOCAB_CHARACTER_NGRAMS_H_
#define FIRTH_VOCAB_CHARACTER_NGRAMS_H_

#include <murmurhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/unicode.h"

namespace firth {

// The word for the end of a sentence in fastText's vocabularies. It has no
// n-grams.
inline constexpr absl::string_view kSentenceEndWord = "</s>";

// Returns FNV-1a with 32 bits, in which every byte is a signed char that is
// widened: bytes of 128 and more set all upper bits.
inline uint32_t NGramHash(absl::string_view n_gram) {
  uint32_t hash = 2166136261u;
  for (const char byte : n_gram) {
    hash ^= static_cast<uint32_t>(static_cast<int8_t>(byte));
    hash *= 16777619u;
  }
  return hash;
}

// Returns MurmurHash3 (x64, 128 bits) in four parts, the lowest first, as
// floret does.
inline std::array<uint32_t, 4> FloretHashes(absl::string_view n_gram,
                                            uint32_t seed) {
  std::array<uint64_t, 2> hash;
  lmmh_x64_128(n_gram.data(), static_cast<unsigned>(n_gram.size()), seed,
               hash.data());
  return {static_cast<uint32_t>(hash[0]), static_cast<uint32_t>(hash[0] >> 32),
          static_cast<uint32_t>(hash[1]), static_cast<uint32_t>(hash[1] >> 32)};
}

// Returns FNV-1a with 64 bits over the number of characters as 8 bytes and each
// code point as 4, the lowest byte first, as finalfusion does. Invalid UTF-8
// counts as U+FFFD.
inline uint64_t FinalfusionHash(absl::string_view n_gram) {
  uint64_t count = 0;
  for (absl::string_view rest = n_gram; !rest.empty(); ++count) {
    rest.remove_prefix(DecodeUtf8(rest).bytes);
  }
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](uint64_t number, int bytes) {
    for (; bytes > 0; --bytes, number >>= 8) {
      hash = (hash ^ (number & 0xff)) * 0x100000001b3u;
    }
  };
  add(count, 8);
  for (absl::string_view rest = n_gram; !rest.empty();) {
    const CodePoint next = DecodeUtf8(rest);
    add(next.value < 0 ? 0xfffd : static_cast<uint64_t>(next.value), 4);
    rest.remove_prefix(next.bytes);
  }
  return hash;
}

// Calls visit(n_gram) for the n-grams of `marked`, a word between its marks,
// with min_n to max_n characters, ordered by start, then by length, as in
// fastText. The first or the last character alone counts only if `marks_alone`
// is true. A character is a byte and the bytes 10xxxxxx after it, which is a
// code point if the word is valid UTF-8.
template <class Visit>
void ForEachNGramOfMarked(absl::string_view marked, int min_n, int max_n,
                          bool marks_alone, Visit visit) {
  const auto continues = [&marked](size_t at) {
    return (static_cast<unsigned char>(marked[at]) & 0xc0) == 0x80;
  };
  for (size_t begin = 0; begin < marked.size(); ++begin) {
    if (continues(begin)) continue;
    size_t end = begin;
    for (int n = 1; n <= max_n && end < marked.size(); ++n) {
      do {
        ++end;
      } while (end < marked.size() && continues(end));
      const bool is_mark = n == 1 && (begin == 0 || end == marked.size());
      if (n >= min_n && (marks_alone || !is_mark)) {
        visit(marked.substr(begin, end - begin));
      }
    }
  }
}

// Visits the n-grams of "<word>" like fastText. The views are valid only during
// the call.
template <class Visit>
void ForEachNGram(absl::string_view word, int min_n, int max_n, Visit visit) {
  if (word == kSentenceEndWord) return;
  ForEachNGramOfMarked(absl::StrCat("<", word, ">"), min_n, max_n,
                       /*marks_alone=*/false, visit);
}

// Calls visit(hash) for each n-gram of 2 to `longest` consecutive words,
// ordered by the first word, then by length. words: the NGramHash() of each
// word. Hashes are computed like fastText 0.9.2: h(w_1 ... w_n) =
// h(w_1 ... w_(n-1)) * 116049371 + h(w_n), in 64 bits.
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

#endif  // FIRTH_VOCAB_CHARACTER_NGRAMS_H_
