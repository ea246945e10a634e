// BlockSource: supplies the words of a corpus block by block, for threads that
// each clean and count one block. Blocks are of text or of sentences that are
// already split into words.
//
// A block of text ends after a newline or, inside a line longer than a block,
// after white space. No token and no UTF-8 sequence is therefore ever divided,
// and the boundaries of blocks depend only on the text. A block never spans two
// files.

#ifndef FIRTH_CORPUS_TEXT_SOURCE_H_
#define FIRTH_CORPUS_TEXT_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "corpus/byte_source.h"
#include "corpus/input_files.h"
#include "firth/corpus.h"

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

// Supplies the inputs, one after another. Not thread-safe.
class TextSource : public BlockSource {
 public:
  // Errors: those of ExpandInputs(). `block_bytes` must be at least 16.
  static absl::StatusOr<TextSource> Create(const CorpusOptions& options,
                                           size_t block_bytes,
                                           const std::atomic<bool>* stop);

  // Reads these files, or parts of files. Messages identify a part that does
  // not begin with its file by its first byte.
  static TextSource OfShares(std::vector<FileShare> shares,
                             const CorpusOptions& options, size_t block_bytes,
                             const std::atomic<bool>* stop);

  // Errors: those of ByteSource; InvalidArgument for a binary input.
  absl::StatusOr<bool> Next(TextBlock* block) override;

  uint64_t files() const override { return files_; }
  uint64_t bytes() const override { return bytes_; }

 private:
  TextSource(std::vector<FileShare> shares, size_t block_bytes,
             const CorpusOptions& options, const std::atomic<bool>* stop);
  absl::StatusOr<bool> OpenNext();
  absl::Status Open(const FileShare& share);
  absl::StatusOr<bool> NextOfFile(TextBlock* block);
  // Reads until `block` has `size` bytes. Returns false at the end of the file.
  absl::StatusOr<bool> FillTo(size_t size, TextBlock* block);
  // Rejects input that is not text, and drops a byte order mark.
  absl::Status CheckStart(TextBlock* block);
  // Returns where to end a block that is not the last of the file, and
  // determines how much of it is the rest of a word that is too long. Returns 0
  // if the block must grow for its only word.
  size_t FindCut(TextBlock* block);
  // Ends the block at `cut`, sets its position in the file, and keeps the bytes
  // after the cut for the next block.
  void CutAt(size_t cut, TextBlock* block);

  std::vector<FileShare> shares_;  // In the order of reading.
  size_t next_share_ = 0;
  size_t block_bytes_;
  size_t too_long_;  // Words of this many bytes are not kept whole.
  bool words_are_parted_;
  const std::atomic<bool>* stop_;
  std::unique_ptr<ByteSource> source_;  // Null between files.
  std::shared_ptr<const std::string> name_;
  std::string rest_;  // Bytes that were read after the last cut.
  bool at_start_ = false;
  bool ends_line_ = true;  // Whether the current share ends a line.
  bool inside_line_ = false;
  bool inside_long_word_ = false;
  uint64_t line_ = 1;
  uint64_t line_offset_ = 0;
  uint64_t files_ = 0;
  uint64_t bytes_ = 0;
};

// Cleaning turns one byte into up to four, and positions in a block have 32
// bits.
constexpr size_t kMaxSentenceWordBytes = size_t{1} << 28;

// Supplies sentences that are already split into words.
class SentenceBlocks : public BlockSource {
 public:
  // A block ends with the first word that brings it to `block_bytes` bytes.
  SentenceBlocks(SentenceSource source, size_t block_bytes,
                 const std::atomic<bool>* stop);

  // Errors: those of the source; InvalidArgument for a word that is empty or
  // has more than kMaxSentenceWordBytes; Cancelled.
  absl::StatusOr<bool> Next(TextBlock* block) override;

  uint64_t files() const override { return 0; }
  uint64_t bytes() const override { return bytes_; }

 private:
  // Starts the next sentence, if there is one.
  absl::Status ReadSentence();
  // Appends words of the sentence, up to its end or until the block is full.
  absl::Status AppendWords(TextBlock* block);

  // Null after its end, so that it is not called again.
  SentenceSource source_;
  size_t block_bytes_;
  const std::atomic<bool>* stop_;
  std::shared_ptr<const std::string> name_;
  // Whether a sentence is being read; the next three members belong to it.
  bool inside_ = false;
  absl::Span<const absl::string_view> sentence_;
  uint64_t number_ = 0;  // Counted from 1.
  size_t word_pos_ = 0;  // Index of the next word.
  uint64_t bytes_ = 0;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_TEXT_SOURCE_H_
