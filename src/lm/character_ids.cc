#include "lm/character_ids.h"

#include "base/check.h"

namespace firth {

void AppendCharacterIds(absl::string_view word, size_t max_characters,
                        std::vector<uint16_t>* ids) {
  FIRTH_CHECK(max_characters >= 3);
  const size_t end = ids->size() + max_characters;
  ids->push_back(kBeginWordCharacter);
  if (word == kBeginSentence) {
    ids->push_back(kBeginSentenceCharacter);
  } else if (word == kEndSentence) {
    ids->push_back(kEndSentenceCharacter);
  } else {
    for (const char byte : word.substr(0, max_characters - 2)) {
      ids->push_back(static_cast<unsigned char>(byte));
    }
  }
  ids->push_back(kEndWordCharacter);
  ids->resize(end, kPaddingCharacter);
}

}  // namespace firth
