// The words of a vocabulary and their counts as the C interface lends them: the
// vocabulary's own memory, which has the same form.

#ifndef FIRTH_C_WORD_LIST_H_
#define FIRTH_C_WORD_LIST_H_

#include <cstdint>

#include "firth/vocabulary.h"

namespace firth::c {

// Numbers below 2^63 are the same bits with a sign and without.
inline const int64_t* OffsetsOf(const Vocabulary& vocabulary) {
  return reinterpret_cast<const int64_t*>(vocabulary.offsets().data());
}
inline const int64_t* CountsOf(const Vocabulary& vocabulary) {
  return reinterpret_cast<const int64_t*>(vocabulary.counts().data());
}

}  // namespace firth::c

#endif  // FIRTH_C_WORD_LIST_H_
