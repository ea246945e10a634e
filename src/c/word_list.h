// The words of a vocabulary as the C interface lends them: one block of bytes
// and offsets in it.

#ifndef FIRTH_C_WORD_LIST_H_
#define FIRTH_C_WORD_LIST_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "firth/vocabulary.h"

namespace firth::c {

// Made when it is asked for first; thread-safe.
class WordList {
 public:
  // The list of these words, which are the same at each call: their bytes and
  // offsets [vocabulary.size() + 1], for as long as this object lives.
  void Lend(const Vocabulary& vocabulary, const char** bytes,
            const int64_t** offsets) const;

 private:
  mutable std::once_flag made_;
  mutable std::string bytes_;
  mutable std::vector<int64_t> offsets_;
};

// Counts, as the interface has them.
inline const int64_t* CountsOf(const Vocabulary& vocabulary) {
  return reinterpret_cast<const int64_t*>(vocabulary.counts().data());
}

}  // namespace firth::c

#endif  // FIRTH_C_WORD_LIST_H_
