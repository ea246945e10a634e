// The number of a word in its vocabulary.
//
// A type of its own, so that a word does not compare with a position in a
// sentence or with a count. Ids run from 0 (the most frequent word) upward.

#ifndef FIRTH_WORD_ID_H_
#define FIRTH_WORD_ID_H_

#include <cstddef>
#include <cstdint>

namespace firth {

enum class WordId : uint32_t {};

constexpr WordId ToWordId(size_t index) { return static_cast<WordId>(index); }
constexpr size_t Index(WordId word) { return static_cast<size_t>(word); }

}  // namespace firth

#endif  // FIRTH_WORD_ID_H_
