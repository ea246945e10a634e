// The tokenizer, which converts a block of text to the indices of its words.

#ifndef FIRTH_CORPUS_TOKENIZER_H_
#define FIRTH_CORPUS_TOKENIZER_H_

#include <cstdint>
#include <vector>

#include "corpus/block_source.h"
#include "corpus/block_words.h"

namespace firth {

struct TokenizedBlock {
  BlockWords words;  // Borrows the text of the block.
  std::vector<uint32_t>
      ids;  // Indices of `words`, with kSentenceEnd after each line.
  uint64_t tokens = 0;  // Includes tokens that are too long.
  uint64_t too_long = 0;
  uint64_t lines = 0;  // Number of lines that end in this block.
  uint64_t tokens_with_nul = 0;
  uint64_t first_nul_line = 0;  // Line in the file, from 1; 0 if there is none.
};

// Splits text at Unicode white space. A newline, or the end of the file, ends a
// sentence. An input that consists of words is not split further. Tokens of
// more than `max_word_bytes` are counted and dropped. Replaces *out, reusing
// its memory.
void Tokenize(const TextBlock& block, size_t max_word_bytes,
              TokenizedBlock* out);

}  // namespace firth

#endif  // FIRTH_CORPUS_TOKENIZER_H_
