// The words that ranks have counted in their shares of a text, made one.
//
// Each word belongs to the rank that its hash says. Every rank sends the words
// that it has seen to their owners, which add up the counts; those that are
// worth keeping go from there to all ranks. So no rank ever holds all the rare
// words of all shares.

#ifndef FIRTH_VOCAB_MERGE_WORDS_H_
#define FIRTH_VOCAB_MERGE_WORDS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/ranks.h"
#include "vocab/word_table.h"

namespace firth {

struct MergedWords {
  // By first appearance in the whole text: shares are in the order of ranks.
  WordTable table;
  uint64_t types = 0;            // of all, also those left out
  uint64_t left_out_tokens = 0;  // of words that are not in the table
};

// All ranks get the same. keep: whether a word with this count belongs to the
// result; the most frequent word of each owner does in any case, so that
// messages can name it.
absl::StatusOr<MergedWords> MergeWords(
    Ranks& ranks, const WordTable& own,
    absl::FunctionRef<bool(absl::string_view word, uint64_t count)> keep);

}  // namespace firth

#endif  // FIRTH_VOCAB_MERGE_WORDS_H_
