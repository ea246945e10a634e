// SentenceBlocks: blocks of sentences that are already split into words.

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

// Cleaning turns one byte into up to four, and positions in a block have 32
// bits.
constexpr size_t kMaxSentenceWordBytes = size_t{1} << 28;

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

#endif  // FIRTH_CORPUS_SENTENCE_BLOCKS_H_
