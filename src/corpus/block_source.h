// BlockSource: supplies the words of a corpus block by block, for threads that
// each clean and count one block.

#ifndef FIRTH_CORPUS_BLOCK_SOURCE_H_
#define FIRTH_CORPUS_BLOCK_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

constexpr size_t kDefaultBlockBytes = size_t{4} << 20;
// Bytes after a text that may be read (not written), so that the tokenizer can
// load words of memory without checking how much is left.
constexpr size_t kTextPadding = 64;

struct TextBlock {
  std::vector<char> bytes;  // At least size + kTextPadding bytes.
  size_t size = 0;
  std::shared_ptr<const std::string> file;  // Name of the file, for messages.
  uint64_t first_line = 1;  // Line at which the block starts, from 1.
  // Bytes of that line in earlier blocks; for sentences given as words, the
  // words of that sentence.
  uint64_t line_offset = 0;
  bool ends_line = false;  // False if the line continues in the next block.
  // End of each word in `bytes`, if the input consists of words. Empty if the
  // text has yet to be split at white space. Each word is followed by a newline
  // that does not belong to it. Words are never empty: an empty one ends a
  // sentence.
  std::vector<uint32_t> word_ends;
  // Bytes at the start that belong to a word that is too long and began in an
  // earlier block. They must be checked and dropped.
  size_t rest_of_word = 0;

  absl::string_view text() const { return {bytes.data(), size}; }

  // Makes room for `wanted` bytes and the padding.
  void Reserve(size_t wanted) {
    if (bytes.size() < wanted + kTextPadding) {
      bytes.resize(wanted + kTextPadding);
    }
  }

  // Drops bytes at the start. The padding moves with the text.
  void DropFromStart(size_t count) {
    size -= count;
    std::memmove(bytes.data(), bytes.data() + count, size + kTextPadding);
  }
};

// Not thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Replaces *block, reusing its memory, and returns true. Returns false at the
  // end. The boundaries of blocks depend only on the text.
  virtual absl::StatusOr<bool> Next(TextBlock* block) = 0;
  virtual uint64_t files() const = 0;  // Files opened so far.
  // Bytes read so far, after decompression.
  virtual uint64_t bytes() const = 0;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_BLOCK_SOURCE_H_
