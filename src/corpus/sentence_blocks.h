// SentenceBlocks: sentences that are cut into words already, as blocks.

#ifndef FIRTH_CORPUS_SENTENCE_BLOCKS_H_
#define FIRTH_CORPUS_SENTENCE_BLOCKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "corpus/block_source.h"
#include "firth/corpus.h"

namespace firth {

// Cleaning makes up to four bytes of one, and places in a block have 32 bits.
constexpr size_t kMaxSentenceWordBytes = size_t{1} << 28;

class SentenceBlocks : public BlockSource {
 public:
  // A block ends with the first word at which it has `block_bytes` bytes.
  SentenceBlocks(SentenceSource source, size_t block_bytes,
                 const std::atomic<bool>* stop);

  // Errors: those of the source; InvalidArgument for a word that is empty or
  // has more than kMaxSentenceWordBytes; Cancelled.
  absl::StatusOr<bool> Next(TextBlock* block) override;

  uint64_t files() const override { return 0; }
  uint64_t bytes() const override { return bytes_; }

 private:
  // Makes the next sentence the one that is read, if there is one.
  absl::Status ReadSentence();
  // Appends words of the sentence, up to its end or until the block is full.
  absl::Status AppendWords(TextBlock* block);

  SentenceSource source_;  // null behind its end: it is not asked again
  size_t block_bytes_;
  const std::atomic<bool>* stop_;
  std::shared_ptr<const std::string> name_;
  bool inside_ = false;  // of a sentence, which is the next three's
  absl::Span<const absl::string_view> sentence_;
  uint64_t number_ = 0;  // from 1
  size_t word_pos_ = 0;  // of the next word
  uint64_t bytes_ = 0;
};

}  // namespace firth

#endif  // FIRTH_CORPUS_SENTENCE_BLOCKS_H_
