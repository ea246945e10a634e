// The tokenizer: a block of text becomes numbers of its words.

#ifndef FIRTH_CORPUS_TOKENIZER_H_
#define FIRTH_CORPUS_TOKENIZER_H_

#include <cstdint>
#include <vector>

#include "corpus/block_source.h"
#include "corpus/block_words.h"

namespace firth {

struct TokenizedBlock {
  BlockWords words;  // borrows the block's text
  std::vector<uint32_t>
      ids;              // indices of `words`, kSentenceEnd after each line
  uint64_t tokens = 0;  // also those that are too long
  uint64_t too_long = 0;
  uint64_t lines = 0;  // ended in this block
  uint64_t tokens_with_nul = 0;
  uint64_t first_nul_line = 0;  // in the file, from 1; 0: none
};

// Splits text at Unicode white space; a newline, or the end of the file, ends a
// sentence. Words that came as such stay whole. Tokens of more than
// `max_word_bytes` are counted and dropped. Replaces *out, whose memory is used
// again.
void Tokenize(const TextBlock& block, size_t max_word_bytes,
              TokenizedBlock* out);

}  // namespace firth

#endif  // FIRTH_CORPUS_TOKENIZER_H_
