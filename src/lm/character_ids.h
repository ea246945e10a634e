// Words as rows of character ids, as in the original ELMo:
//
//   begin-word, the UTF-8 bytes, end-word, padding ...
//
// The id of a byte is its value. A word that is too long loses its last bytes.
// The begin and the end of a sentence are words with a single character, whose
// id is not that of any byte.

#ifndef FIRTH_LM_CHARACTER_IDS_H_
#define FIRTH_LM_CHARACTER_IDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace firth {

constexpr size_t kNumCharacters = 261;
constexpr uint16_t kBeginSentenceCharacter = 256;
constexpr uint16_t kEndSentenceCharacter = 257;
constexpr uint16_t kBeginWordCharacter = 258;
constexpr uint16_t kEndWordCharacter = 259;
constexpr uint16_t kPaddingCharacter = 260;

constexpr absl::string_view kBeginSentence = "<S>";
constexpr absl::string_view kEndSentence = "</S>";

// Appends the max_characters >= 3 ids of a word. kBeginSentence and
// kEndSentence stand for the begin and the end of a sentence.
void AppendCharacterIds(absl::string_view word, size_t max_characters,
                        std::vector<uint16_t>* ids);

}  // namespace firth

#endif  // FIRTH_LM_CHARACTER_IDS_H_
