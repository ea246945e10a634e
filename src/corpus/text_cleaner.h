// The options that change text before it is split: UTF-8, spelling and
// punctuation.

#ifndef FIRTH_CORPUS_TEXT_CLEANER_H_
#define FIRTH_CORPUS_TEXT_CLEANER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "base/spelling.h"
#include "corpus/block_source.h"
#include "firth/corpus.h"

namespace firth {

// Applies the policy and the spelling in place. Text that needs no change, or
// changes byte by byte (ASCII), is not copied. *invalid is set to the number of
// invalid parts, including those in the dropped rest of a long word. Errors:
// InvalidArgument for kError, with the place.
absl::Status CleanText(Utf8Policy policy, const Spelling& spelling,
                       TextBlock* block, uint64_t* invalid);

// Separates words from their punctuation (corpus/punctuation.h).
// LoadWordBoundaries() must have been called.
void PartPunctuation(TextBlock* block);

}  // namespace firth

#endif  // FIRTH_CORPUS_TEXT_CLEANER_H_
