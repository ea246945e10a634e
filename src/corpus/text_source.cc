// The boundaries of blocks depend only on the text. A block ends after the last
// line end among the bytes of a block; without one, after the last white space;
// without that, the block grows until some is found. The bytes after the
// boundary start the next block. A word that is longer than the limit does not
// make blocks grow without bound. Its beginning ends a block, so that the
// tokenizer counts it as too long, and the rest follows, marked as such, in
// blocks of its own, which cleaning checks and drops. If words have yet to be
// separated from punctuation, as in languages written without spaces, a block
// ends after punctuation.

#include "corpus/text_source.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/byte_marks.h"
#include "base/check.h"
#include "base/unicode.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Returns the number of bytes of such a beginning. Cleaning keeps at least a
// quarter of a word's bytes (NFKC replaces a mathematical bold A by A), so a
// word of this many bytes stays above the limit.
size_t BytesOfBeginning(uint64_t max_word_bytes) {
  constexpr size_t kMayShrink = 4;
  return kMayShrink * (max_word_bytes + 1);
}

// White space or another code point may be incomplete at the end of the bytes
// that were read.
constexpr size_t kMostCutOff = 3;

// Returns `cut`, or the start of the UTF-8 sequence that continues there.
size_t BeforeSequence(absl::string_view text, size_t cut) {
  for (size_t i = cut; i-- > 0 && i + kMostCutOff >= cut;) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (i + point.bytes > cut) return i;
  }
  return cut;
}

// Returns the end of the last white space of `text`; 0 if there is none.
size_t AfterLastWhiteSpace(absl::string_view text) {
  for (size_t i = text.size(); i-- > 0;) {
    const size_t bytes = WhiteSpaceBytes(text.substr(i));
    if (bytes > 0) return i + bytes;
  }
  return 0;
}

// Returns the end of the last punctuation of a text without white space.
// Without punctuation, returns a position near its end at which a word may be
// divided.
size_t AfterLastPunctuation(absl::string_view text) {
  for (size_t i = text.size(); i-- > 0;) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    if (point.value >= 0 && IsPunctuation(point.value)) return i + point.bytes;
  }
  return BeforeSequence(text, text.size() - kMostCutOff);
}

// Returns 0 if there is none.
size_t AfterLastLine(absl::string_view text) {
  const void* newline = memrchr(text.data(), '\n', text.size());
  if (newline == nullptr) return 0;
  return static_cast<size_t>(static_cast<const char*>(newline) - text.data()) +
         1;
}

// The text must be followed by padding, which is also read and contains no
// newline.
uint64_t CountNewlines(absl::string_view text) {
  uint64_t count = 0;
  for (size_t i = 0; i < text.size(); i += kMarkedBytes) {
    count += static_cast<uint64_t>(std::popcount(MarkBytes(
        text.data() + i, [](ByteVec bytes) { return AreEqual(bytes, '\n'); })));
  }
  return count;
}
static_assert(kTextPadding >= kMarkedBytes, "the last bytes are read whole");

// An empty word ends a sentence.
void AppendWord(absl::string_view word, TextBlock* block) {
  block->Reserve(block->size + word.size() + 1);
  std::copy(word.begin(), word.end(), block->bytes.data() + block->size);
  block->size += word.size();
  block->word_ends.push_back(static_cast<uint32_t>(block->size));
  block->bytes[block->size++] = '\n';
}

}  // namespace

absl::StatusOr<TextSource> TextSource::Create(const CorpusOptions& options,
                                              size_t block_bytes,
                                              const std::atomic<bool>* stop) {
  FIRTH_CHECK(block_bytes >= 16);
  if (options.text.has_value()) {
    TextSource source({}, block_bytes, options, stop);
    source.source_ = MakeMemorySource(*options.text);
    source.name_ = std::make_shared<const std::string>("text");
    source.at_start_ = true;
    return source;
  }
  FIRTH_ASSIGN_OR_RETURN(auto paths, ExpandInputs(options.inputs));
  std::vector<FileShare> shares;
  shares.reserve(paths.size());
  for (std::string& path : paths) shares.push_back({std::move(path)});
  return OfShares(std::move(shares), options, block_bytes, stop);
}

TextSource TextSource::OfShares(std::vector<FileShare> shares,
                                const CorpusOptions& options,
                                size_t block_bytes,
                                const std::atomic<bool>* stop) {
  return TextSource(std::move(shares), block_bytes, options, stop);
}

TextSource::TextSource(std::vector<FileShare> shares, size_t block_bytes,
                       const CorpusOptions& options,
                       const std::atomic<bool>* stop)
    : shares_(std::move(shares)),
      block_bytes_(block_bytes),
      too_long_(BytesOfBeginning(options.max_word_bytes)),
      words_are_parted_(options.split_punctuation),
      stop_(stop) {}

absl::StatusOr<bool> TextSource::OpenNext() {
  if (next_share_ == shares_.size()) return false;
  FIRTH_RETURN_IF_ERROR(Open(shares_[next_share_++]));
  return true;
}

absl::Status TextSource::Open(const FileShare& share) {
  std::string name = InputName(share.path);
  if (share.begin == 0 && share.end == UINT64_MAX) {
    FIRTH_ASSIGN_OR_RETURN(source_, OpenByteSource(share.path, stop_));
  } else {
    FIRTH_ASSIGN_OR_RETURN(
        source_, OpenByteShare(share.path, share.begin, share.end, stop_));
  }
  if (share.begin > 0) absl::StrAppend(&name, " from byte ", share.begin);
  name_ = std::make_shared<const std::string>(std::move(name));
  at_start_ = share.begin == 0;
  inside_line_ = share.begins_inside_line;
  ends_line_ = !share.ends_inside_line;
  inside_long_word_ = false;
  line_ = 1;
  line_offset_ = 0;
  if (share.begin == 0) ++files_;
  return absl::OkStatus();
}

absl::StatusOr<bool> TextSource::Next(TextBlock* block) {
  for (;;) {
    if (source_ == nullptr) {
      FIRTH_ASSIGN_OR_RETURN(const bool opened, OpenNext());
      if (!opened) return false;
    }
    FIRTH_ASSIGN_OR_RETURN(const bool found, NextOfFile(block));
    if (found) return true;
    source_.reset();
  }
}

absl::StatusOr<bool> TextSource::FillTo(size_t size, TextBlock* block) {
  block->Reserve(size);
  while (block->size < size) {
    const auto room =
        absl::MakeSpan(block->bytes).subspan(block->size, size - block->size);
    FIRTH_ASSIGN_OR_RETURN(const size_t got, source_->Read(room));
    if (got == 0) return false;
    block->size += got;
    bytes_ += got;
  }
  return true;
}

absl::Status TextSource::CheckStart(TextBlock* block) {
  FIRTH_RETURN_IF_ERROR(CheckIsText(*name_, block->text()));
  if (absl::StartsWith(block->text(), kByteOrderMark)) {
    block->DropFromStart(kByteOrderMark.size());
    line_offset_ = kByteOrderMark.size();
  }
  return absl::OkStatus();
}

size_t TextSource::FindCut(TextBlock* block) {
  const absl::string_view text = block->text();
  if (const size_t cut = AfterLastLine(text); cut > 0) return cut;
  if (const size_t cut = AfterLastWhiteSpace(text); cut > 0) return cut;
  if (inside_long_word_) {
    block->rest_of_word = BeforeSequence(text, text.size() - kMostCutOff);
    return block->rest_of_word;
  }
  if (text.size() <= too_long_) return 0;
  if (words_are_parted_) return AfterLastPunctuation(text);
  inside_long_word_ = true;
  return BeforeSequence(text, too_long_);
}

absl::StatusOr<bool> TextSource::NextOfFile(TextBlock* block) {
  block->size = block->rest_of_word = 0;
  block->Reserve(std::max(rest_.size(), block_bytes_));
  std::copy(rest_.begin(), rest_.end(), block->bytes.begin());
  block->size = rest_.size();
  rest_.clear();
  size_t target = std::max(block_bytes_, block->size);
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const bool more, FillTo(target, block));
    if (std::exchange(at_start_, false)) {
      FIRTH_RETURN_IF_ERROR(CheckStart(block));
    }
    if (inside_long_word_) {
      block->rest_of_word = FindWhiteSpace(block->text());
      inside_long_word_ = block->rest_of_word == block->size;
    }
    if (!more) break;
    if (const size_t cut = FindCut(block); cut > 0) {
      CutAt(cut, block);
      return true;
    }
    target *= 2;
  }
  // The end of the file ends its last line. If the last boundary was at white
  // space in this line, an empty block reports its end.
  if (block->size == 0 && (!inside_line_ || !ends_line_)) return false;
  CutAt(block->size, block);
  block->ends_line = ends_line_;
  source_.reset();
  return true;
}

void TextSource::CutAt(size_t cut, TextBlock* block) {
  rest_.assign(block->bytes.data() + cut, block->size - cut);
  block->size = cut;
  std::fill_n(block->bytes.begin() + static_cast<ptrdiff_t>(cut), kTextPadding,
              '\0');
  block->file = name_;
  block->first_line = line_;
  block->line_offset = line_offset_;
  const absl::string_view text = block->text();
  block->ends_line = cut > 0 && text.back() == '\n';
  inside_line_ = !block->ends_line;
  line_ += CountNewlines(text);
  if (block->ends_line) {
    line_offset_ = 0;
    return;
  }
  // A block that does not end in a newline contains none, except the last one
  // of the file.
  line_offset_ += cut;
}

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
