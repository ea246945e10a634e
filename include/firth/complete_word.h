// Completes words from their first letters, for search boxes and shells.

#ifndef FIRTH_COMPLETE_WORD_H_
#define FIRTH_COMPLETE_WORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/vocabulary.h"

namespace firth {

// The completions of a prefix.
struct Completions {
  uint64_t count = 0;  // Number of words that begin with the prefix.
  // Longest prefix that all of these words share, in whole UTF-8 characters.
  std::string common;
  // The most frequent completions, best first, with ties broken by id. They
  // point into the vocabulary.
  std::vector<absl::string_view> words;
};

// Returns the words that begin with `prefix`, including `prefix` itself, and
// lists at most `most` of them. Scans every word, which takes about as long as
// reading their bytes.
Completions CompleteWord(const Vocabulary& vocabulary, absl::string_view prefix,
                         size_t most);

}  // namespace firth

#endif  // FIRTH_COMPLETE_WORD_H_
