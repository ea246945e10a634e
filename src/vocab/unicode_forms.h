// Finds words of a vocabulary that are the same word in two Unicode forms.

#ifndef FIRTH_VOCAB_UNICODE_FORMS_H_
#define FIRTH_VOCAB_UNICODE_FORMS_H_

#include <cstdint>
#include <string>

#include "firth/vocabulary.h"

namespace firth {

// The number of words that are not in NFC although their NFC form is also a
// word, and the NFC form of the most frequent one.
struct WordsInTwoForms {
  uint64_t words = 0;
  std::string example;
};
WordsInTwoForms FindWordsInTwoForms(const Vocabulary& vocabulary);

}  // namespace firth

#endif  // FIRTH_VOCAB_UNICODE_FORMS_H_
