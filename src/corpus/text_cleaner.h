// The options that change text before it is split: UTF-8, spelling and
// punctuation.

#ifndef FIRTH_CORPUS_TEXT_CLEANER_H_
#define FIRTH_CORPUS_TEXT_CLEANER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/spelling.h"
#include "corpus/text_source.h"
#include "firth/corpus.h"

namespace firth {

// Applies the policy and the spelling in place. Text that needs no change, or
// changes byte by byte (ASCII), is not copied. *invalid is set to the number of
// invalid parts, including those in the dropped rest of a long word. Errors:
// InvalidArgument for kError, with the place.
absl::Status CleanText(Utf8Policy policy, const Spelling& spelling,
                       TextBlock* block, uint64_t* invalid);

// Separates words from punctuation at the word boundaries of Unicode's standard
// annex 29, as found by ICU. For languages written without spaces, ICU uses its
// dictionaries. LoadWordBoundaries() must have been called.
void PartPunctuation(TextBlock* block);

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

#endif  // FIRTH_CORPUS_TEXT_CLEANER_H_
