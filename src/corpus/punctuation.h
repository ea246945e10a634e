// Separates words from punctuation at the word boundaries of Unicode's standard
// annex 29, as found by ICU. For languages written without spaces, ICU uses its
// dictionaries.

#ifndef FIRTH_CORPUS_PUNCTUATION_H_
#define FIRTH_CORPUS_PUNCTUATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Loads ICU on the first call. Errors: FailedPrecondition, it is not installed.
// All functions here are thread-safe.
absl::Status LoadWordBoundaries();

// Appends the parts of a word, which has no white space, separated by spaces:
// "(don't)" becomes "( don't )". Invalid UTF-8 is copied unchanged.
// LoadWordBoundaries() must have been called.
void AppendParted(absl::string_view word, std::string* out);

// Sets *out to the words of `text` and their punctuation, separated by single
// spaces.
void SplitPunctuation(absl::string_view text, std::string* out);

}  // namespace firth

#endif  // FIRTH_CORPUS_PUNCTUATION_H_
