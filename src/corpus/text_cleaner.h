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

// Applies the policy and the spelling in place; text that needs no change, or
// changes byte by byte (ASCII), is not copied. *invalid is the number of
// invalid parts, those of the rest of a word, which is dropped, among them.
// Errors: InvalidArgument under kError, which names the place.
absl::Status CleanText(Utf8Policy policy, const Spelling& spelling,
                       TextBlock* block, uint64_t* invalid);

// Parts words from their punctuation (corpus/punctuation.h).
// LoadWordBoundaries() came before.
void PartPunctuation(TextBlock* block);

}  // namespace firth

#endif  // FIRTH_CORPUS_TEXT_CLEANER_H_
