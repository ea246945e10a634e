// The tokenizer, which converts a block of text to the indices of its words.

#ifndef FIRTH_CORPUS_TOKENIZER_H_
#define FIRTH_CORPUS_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/prefetch.h"
#include "corpus/text_source.h"
#include "corpus/word_key.h"

namespace firth {

// The distinct words of one block, in order of first appearance. A special hash
// table: slots have 8 bytes, with half of the hash as a tag, and entries have
// the first 16 bytes of a word, so that a lookup of a short word does not read
// the text. (absl::flat_hash_map, keyed by string and hash, reached 115 MB/s of
// English text, and this table 350.)
class BlockWords {
 public:
  struct Word {
    WordKey key;
    uint32_t offset;  // Position in the text.
    uint32_t size;
  };

  // Forgets all words. Borrows the text, which must be shorter than 4 GiB and
  // followed by 8 bytes that may be read.
  void Reset(absl::string_view text);

  void Prefetch(const WordKey& key) const {
    PrefetchForRead(&slots_[key.hash & mask_]);
  }

  // Counts one occurrence and returns the word's index.
  uint32_t Add(const Word& word) {
    for (size_t i = word.key.hash & mask_;; i = (i + 1) & mask_) {
      const uint64_t slot = slots_[i];
      if (slot == 0) return Insert(word, i);
      const uint32_t index = static_cast<uint32_t>(slot) - 1;
      if (Tag(slot) == Tag(word.key.hash) && Equal(words_[index], word)) {
        ++counts_[index];
        return index;
      }
    }
  }

  size_t size() const { return words_.size(); }
  absl::Span<const Word> words() const { return words_; }
  absl::Span<const uint32_t> counts() const { return counts_; }
  absl::string_view View(const Word& word) const {
    return {text_ + word.offset, word.size};
  }

 private:
  static uint64_t Tag(uint64_t bits) { return bits >> 32; }
  bool Equal(const Word& a, const Word& b) const {
    return a.size == b.size && a.key.head == b.key.head &&
           a.key.tail == b.key.tail &&
           (a.size <= WordKey::kInKey ||
            std::memcmp(text_ + a.offset, text_ + b.offset, a.size) == 0);
  }
  uint32_t Insert(const Word& word, size_t slot);
  void Grow();

  const char* text_ = nullptr;
  std::vector<Word> words_;
  std::vector<uint32_t> counts_;
  // 0 if free, otherwise tag << 32 | (index + 1).
  std::vector<uint64_t> slots_;
  size_t mask_ = 0;  // Number of slots in use, a power of 2, minus 1.
};

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
