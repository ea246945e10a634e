// BlockSource: where the words of a corpus come from, a block at a time, for
// threads that clean and count one block each.

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
// Bytes that may be read (not written) beyond a text, so that the tokenizer
// loads words of memory without asking how much is left.
constexpr size_t kTextPadding = 64;

struct TextBlock {
  std::vector<char> bytes;  // at least size + kTextPadding
  size_t size = 0;
  std::shared_ptr<const std::string> file;  // its name for messages
  uint64_t first_line = 1;                  // where the block starts, from 1
  uint64_t line_offset = 0;  // bytes of that line in earlier blocks; of
                             // sentences in words: words of that sentence
  bool ends_line = false;    // false: the line goes on in the next block
  // Where each word ends in `bytes`, for words that came as such; empty: the
  // text is yet to be cut at white space. A newline, which belongs to no word,
  // follows each. Words are never empty: an empty one ends a sentence.
  std::vector<uint32_t> word_ends;
  // Bytes at the start that belong to a word which is too long and whose
  // beginning was in an earlier block: they are to be checked and dropped.
  size_t rest_of_word = 0;

  absl::string_view text() const { return {bytes.data(), size}; }

  // Makes room for so many bytes and the padding.
  void Reserve(size_t wanted) {
    if (bytes.size() < wanted + kTextPadding) {
      bytes.resize(wanted + kTextPadding);
    }
  }

  // Drops bytes at the start; what is behind the text moves with it.
  void DropFromStart(size_t count) {
    size -= count;
    std::memmove(bytes.data(), bytes.data() + count, size + kTextPadding);
  }
};

// Not thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Replaces *block, whose memory is used again, and returns true; or returns
  // false at the end. Where blocks end depends on the text alone.
  virtual absl::StatusOr<bool> Next(TextBlock* block) = 0;
  virtual uint64_t files() const = 0;  // opened so far
  virtual uint64_t bytes() const = 0;  // read so far, decompressed
};

}  // namespace firth

#endif  // FIRTH_CORPUS_BLOCK_SOURCE_H_
