// Words as rows of character ids, as in the original ELMo:
//
//   begin-word, the UTF-8 bytes, end-word, padding ...
//
// The id of a byte is its value. A word that is too long loses its last bytes.
// The begin and the end of a sentence are words with a single character, whose
// id is not that of any byte.

#ifndef FIRTH_LM_MODEL_CHARACTER_IDS_H_
#define FIRTH_LM_MODEL_CHARACTER_IDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/language_model.h"
#include "nn/char_cnn.h"

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

// Options for the filters of character networks: their text form and their
// limits.

using FilterList = std::vector<CharacterOptions::Filters>;

// Returns the filters as text, "width x count" of each: "1x32,2x64".
std::string FiltersText(const FilterList& filters);
// Parses this form. Returns false, without changing *filters, if it is not
// valid.
bool ParseFilters(const std::string& text, FilterList* filters);

// Checks the filters. Errors: InvalidArgument, no filters, or one that is too
// wide or has count 0.
absl::Status CheckFilters(const FilterList& filters, size_t max_characters);

// Returns the options of the network over the ids of AppendCharacterIds().
nn::CharCnnOptions CharCnnOf(const CharacterOptions& characters);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_CHARACTER_IDS_H_
