// Words by their beginnings, for people who type them.

#ifndef FIRTH_COMPLETE_WORD_H_
#define FIRTH_COMPLETE_WORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"

namespace firth {

// Tells which words begin with what has been typed.
struct Completions {
  uint64_t count = 0;  // of the words that begin so
  // The longest beginning that all of them share, of whole characters (UTF-8).
  std::string common;
  // The most frequent of them, best first, by their ids where counts are equal;
  // bytes of the vocabulary.
  std::vector<absl::string_view> words;
};

// The words that begin with `prefix`, the prefix itself among them, of which at
// most `most` are named. Looks at every word, which takes about as long as
// reading their bytes.
Completions CompleteWord(const Vocabulary& vocabulary, absl::string_view prefix,
                         size_t most);

}  // namespace firth

#endif  // FIRTH_COMPLETE_WORD_H_
