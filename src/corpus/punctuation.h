// Words parted from their punctuation by the word boundaries of Unicode's
// standard annex 29, as ICU finds them; those of languages that write no spaces
// by its dictionaries.

#ifndef FIRTH_CORPUS_PUNCTUATION_H_
#define FIRTH_CORPUS_PUNCTUATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// ICU is loaded by the first call. Errors: FailedPrecondition, it is not
// installed. Thread-safe, as all here.
absl::Status LoadWordBoundaries();

// Appends the parts of a word, which holds no white space, with spaces between
// them: "(don't)" gives "( don't )". Bytes that are not UTF-8 stay. To be
// called after LoadWordBoundaries().
void AppendParted(absl::string_view word, std::string* out);

// Replaces *out by the words of `text` and their punctuation, parted by single
// spaces.
void SplitPunctuation(absl::string_view text, std::string* out);

}  // namespace firth

#endif  // FIRTH_CORPUS_PUNCTUATION_H_
