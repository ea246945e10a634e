// The index of a word in its vocabulary.
//
// It is a distinct type, so that word ids cannot be confused with positions in
// a sentence or counts. Ids run from 0 (the most frequent word) upward.

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
