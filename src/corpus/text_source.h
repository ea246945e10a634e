// TextSource: the inputs, one after another, as blocks of text.
//
// A block ends after a newline or, inside a line longer than a block, after
// white space. No token and no UTF-8 sequence is therefore ever divided, and
// the boundaries of blocks depend only on the text. A block never spans two
// files.

#ifndef FIRTH_CORPUS_TEXT_SOURCE_H_
#define FIRTH_CORPUS_TEXT_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "corpus/block_source.h"
#include "corpus/byte_source.h"
#include "corpus/text_shares.h"
#include "firth/corpus.h"

namespace firth {

// Not thread-safe.
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

}  // namespace firth

#endif  // FIRTH_CORPUS_TEXT_SOURCE_H_
