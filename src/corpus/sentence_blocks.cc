#include "corpus/sentence_blocks.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// An empty word ends a sentence.
void AppendWord(absl::string_view word, TextBlock* block) {
  block->Reserve(block->size + word.size() + 1);
  std::copy(word.begin(), word.end(), block->bytes.data() + block->size);
  block->size += word.size();
  block->word_ends.push_back(static_cast<uint32_t>(block->size));
  block->bytes[block->size++] = '\n';
}

}  // namespace

SentenceBlocks::SentenceBlocks(SentenceSource source, size_t block_bytes,
                               const std::atomic<bool>* stop)
    : source_(std::move(source)),
      block_bytes_(block_bytes),
      stop_(stop),
      name_(std::make_shared<const std::string>("sentences")) {}

absl::StatusOr<bool> SentenceBlocks::Next(TextBlock* block) {
  block->size = 0;
  block->word_ends.clear();
  block->file = name_;
  block->first_line = inside_ ? number_ : number_ + 1;
  block->line_offset = inside_ ? word_pos_ : 0;
  while (block->size < block_bytes_) {
    if (!inside_) FIRTH_RETURN_IF_ERROR(ReadSentence());
    if (!inside_) break;
    FIRTH_RETURN_IF_ERROR(AppendWords(block));
  }
  block->Reserve(block->size);
  std::fill_n(block->bytes.data() + block->size, kTextPadding, '\0');
  return block->size > 0;
}

absl::Status SentenceBlocks::ReadSentence() {
  if (stop_ != nullptr && *stop_) {
    return absl::CancelledError("stopped while reading sentences");
  }
  if (source_ == nullptr) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(const auto sentence, source_());
  if (!sentence.has_value()) {
    source_ = nullptr;
    return absl::OkStatus();
  }
  sentence_ = *sentence;
  inside_ = true;
  ++number_;
  word_pos_ = 0;
  return absl::OkStatus();
}

absl::Status SentenceBlocks::AppendWords(TextBlock* block) {
  for (; word_pos_ < sentence_.size(); ++word_pos_) {
    if (block->size >= block_bytes_) return absl::OkStatus();
    const absl::string_view word = sentence_[word_pos_];
    if (word.empty() || word.size() > kMaxSentenceWordBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          *name_, ":", number_, ": expected words of 1 to ",
          kMaxSentenceWordBytes, " bytes, found word ", word_pos_ + 1,
          word.empty() ? " empty" : absl::StrCat(" of ", word.size())));
    }
    bytes_ += word.size() + 1;
    AppendWord(word, block);
  }
  bytes_ += sentence_.empty();
  AppendWord("", block);
  inside_ = false;
  return absl::OkStatus();
}

}  // namespace firth
