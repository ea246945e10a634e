// Borders are found 64 bytes at a time, as bits of a mask: a loop over bytes
// would mispredict a branch at the end of every word, which costs more than all
// the rest. The words of a chunk are looked up together, their slots being
// prefetched meanwhile.

#include "corpus/tokenizer.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/unicode.h"
#include "corpus/token_stream.h"

namespace firth {
namespace {

constexpr size_t kChunk = 64;
static_assert(kTextPadding >= kChunk, "the last chunk is read whole");

enum ByteClass : uint8_t { kWordByte, kSpace, kNewline, kMaybeSpace };

constexpr std::array<uint8_t, 256> MakeByteClasses() {
  std::array<uint8_t, 256> classes{};
  for (const int byte : {0x09, 0x0B, 0x0C, 0x0D, 0x20}) classes[byte] = kSpace;
  classes['\n'] = kNewline;
  // The lead bytes of white space beyond ASCII.
  for (const int byte : {0xC2, 0xE1, 0xE2, 0xE3}) classes[byte] = kMaybeSpace;
  return classes;
}
constexpr std::array<uint8_t, 256> kByteClasses = MakeByteClasses();

// One bit a byte: those that may be white space, namely bytes up to ' ' and
// 0xC0 to 0xC3, 0xE0 to 0xE3. The class table decides.
inline uint64_t CandidatesOf8(const char* text) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHigh = kOnes * 0x80;
  const uint64_t bytes = LoadWord64(text);
  const uint64_t above_space = (bytes & ~kHigh) + kOnes * (0x80 - 0x21);
  const uint64_t lead = (bytes & (kOnes * 0xDC)) ^ (kOnes * 0xC0);
  const uint64_t not_lead = ((lead & ~kHigh) + ~kHigh) | lead;
  const uint64_t marks = ~((above_space | bytes) & not_lead) & kHigh;
  return ((marks >> 7) * 0x0102040810204080u) >> 56;
}

inline uint64_t CandidatesOfChunk(const char* text) {
  uint64_t mask = 0;
  for (size_t i = 0; i < kChunk / 8; ++i) {
    mask |= CandidatesOf8(text + 8 * i) << (8 * i);
  }
  return mask;
}

class Splitter {
 public:
  Splitter(absl::string_view text, size_t max_word_bytes, TokenizedBlock* out)
      : text_(text), max_word_bytes_(max_word_bytes), out_(out) {}

  void Run() {
    for (size_t begin = 0; begin < text_.size(); begin += kChunk) {
      SplitChunk(begin);
      LookUp();
    }
    EndWord(text_.size());
    LookUp();
    out_->ids.resize(num_ids_);
  }

 private:
  void SplitChunk(size_t begin) {
    uint64_t mask = CandidatesOfChunk(text_.data() + begin);
    for (; mask != 0; mask &= mask - 1) {
      const size_t place = begin + static_cast<size_t>(std::countr_zero(mask));
      if (place >= text_.size()) return;
      const uint8_t byte_class =
          kByteClasses[static_cast<unsigned char>(text_.data()[place])];
      if (byte_class == kWordByte) continue;
      size_t space_bytes = 1;
      if (byte_class == kMaybeSpace) {
        space_bytes = WhiteSpaceBytes(text_.substr(place));
        if (space_bytes == 0) continue;
      }
      EndWord(place);
      word_begin_ = place + space_bytes;
      if (byte_class == kNewline) EndSentence();
    }
  }

  void EndWord(size_t end) {
    if (end <= word_begin_) return;
    const size_t size = end - word_begin_;
    if (size > max_word_bytes_) return DropWord();
    BlockWords::Word& word = queue_[queued_++];
    word.key = MakeWordKey(text_.data() + word_begin_, size);
    word.offset = static_cast<uint32_t>(word_begin_);
    word.size = static_cast<uint32_t>(size);
    out_->words.Prefetch(word.key);
    word_begin_ = end;
  }

  void DropWord() {
    ++out_->tokens;
    ++out_->too_long;
  }

  void EndSentence() {
    queue_[queued_++].size = 0;
    ++out_->lines;
  }

  void LookUp() {
    if (out_->ids.size() < num_ids_ + queue_.size()) {
      out_->ids.resize(2 * (num_ids_ + queue_.size()));
    }
    uint32_t* id = out_->ids.data() + num_ids_;
    for (size_t i = 0; i < queued_; ++i) {
      const bool word = queue_[i].size > 0;
      *id++ = word ? out_->words.Add(queue_[i]) : TokenStream::kSentenceEnd;
      out_->tokens += word;
    }
    num_ids_ += queued_;
    queued_ = 0;
  }

  absl::string_view text_;
  size_t max_word_bytes_;
  TokenizedBlock* out_;
  size_t word_begin_ = 0;
  size_t num_ids_ = 0;
  // A word and a sentence end for each byte of a chunk at the worst.
  std::array<BlockWords::Word, 2 * kChunk> queue_;
  size_t queued_ = 0;
};

// Words that came as such.
void AddWords(const TextBlock& block, size_t max_word_bytes,
              TokenizedBlock* out) {
  out->ids.clear();
  size_t begin = 0;
  for (const uint32_t end : block.word_ends) {
    const size_t size = end - begin;
    if (size == 0) {
      out->ids.push_back(TokenStream::kSentenceEnd);
      ++out->lines;
    } else if (size > max_word_bytes) {
      ++out->too_long;
    } else {
      out->ids.push_back(out->words.Add(
          {MakeWordKey(block.bytes.data() + begin, size),
           static_cast<uint32_t>(begin), static_cast<uint32_t>(size)}));
    }
    out->tokens += size > 0;
    begin = end + 1;
  }
}

// Apart from the main loop, for text that holds NUL at all.
void CountNulTokens(const TextBlock& block, TokenizedBlock* out) {
  uint64_t line = block.first_line;
  for (const uint32_t id : out->ids) {
    if (id == TokenStream::kSentenceEnd) {
      ++line;
      continue;
    }
    const absl::string_view bytes = out->words.View(out->words.words()[id]);
    if (bytes.find('\0') == absl::string_view::npos) continue;
    if (out->tokens_with_nul++ == 0) out->first_nul_line = line;
  }
}

}  // namespace

void Tokenize(const TextBlock& block, size_t max_word_bytes,
              TokenizedBlock* out) {
  const absl::string_view text = block.text();
  out->words.Reset(text);
  out->tokens = out->too_long = out->lines = 0;
  out->tokens_with_nul = out->first_nul_line = 0;
  if (block.word_ends.empty()) {
    Splitter(text, max_word_bytes, out).Run();
  } else {
    AddWords(block, max_word_bytes, out);
  }
  if (std::memchr(text.data(), '\0', text.size()) != nullptr) {
    CountNulTokens(block, out);
  }
  if (!block.word_ends.empty()) return;
  const bool newline_at_end = !text.empty() && text.back() == '\n';
  if (block.ends_line && !newline_at_end) {
    out->ids.push_back(TokenStream::kSentenceEnd);
    ++out->lines;
  }
}

}  // namespace firth
