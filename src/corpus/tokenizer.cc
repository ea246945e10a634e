// Boundaries are found 64 bytes at a time, as bits of a mask. A loop over bytes
// would mispredict a branch at the end of every word, which costs more than
// everything else. The words of a chunk are looked up together, while their
// slots are being prefetched.

#include "corpus/tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "absl/strings/match.h"
#include "base/byte_marks.h"
#include "base/unicode.h"
#include "corpus/token_stream.h"
#include "hwy/highway.h"

namespace firth {
namespace {

constexpr size_t kLeastSlots = 64;
constexpr size_t kMostSlotsAtFirst = size_t{1} << 16;
// A full block has about one distinct word per this many bytes, with room to
// spare.
constexpr size_t kBytesPerSlot = 32;

constexpr size_t kChunk = kMarkedBytes;
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

// Returns one bit per byte, set if the byte may be white space: bytes up to '
// ', 0xC0 to 0xC3, and 0xE0 to 0xE3. The class table decides.
inline uint64_t Candidates(const char* text) {
  namespace hn = hwy::HWY_NAMESPACE;
  return MarkBytes(text, [](ByteVec bytes) {
    const ByteVec lead = hn::And(bytes, hn::Set(ByteTag(), uint8_t{0xDC}));
    return hn::Or(AreAtMost(bytes, ' '), AreEqual(lead, 0xC0));
  });
}

class Splitter {
 public:
  Splitter(absl::string_view text, size_t max_word_bytes, TokenizedBlock* out)
      : text_(text), max_word_bytes_(max_word_bytes), out_(out) {}

  // Returns whether the text contains NUL.
  bool Run() {
    for (size_t begin = 0; begin < text_.size(); begin += kChunk) {
      SplitChunk(begin);
      LookUp();
    }
    queued_ = static_cast<size_t>(
        EndWord(word_begin_, text_.size(), queue_.data()) - queue_.data());
    LookUp();
    out_->ids.resize(num_ids_);
    out_->tokens = num_ids_ - out_->lines + out_->too_long;
    return has_nul_;
  }

 private:
  void SplitChunk(size_t begin) {
    const char* const text = text_.data();
    BlockWords::Word* next = queue_.data() + queued_;
    size_t word_begin = word_begin_;
    for (uint64_t mask = Candidates(text + begin); mask != 0;
         mask &= mask - 1) {
      const size_t place = begin + static_cast<size_t>(std::countr_zero(mask));
      const uint8_t byte_class =
          kByteClasses[static_cast<unsigned char>(text[place])];
      size_t after = place + 1;
      if (byte_class != kSpace) {
        if (place >= text_.size()) break;
        if (byte_class == kWordByte) {
          has_nul_ |= text[place] == '\0';
          continue;
        }
        if (byte_class == kMaybeSpace) {
          const size_t space_bytes = WhiteSpaceBytes(text_.substr(place));
          if (space_bytes == 0) continue;
          after = place + space_bytes;
        }
      }
      next = EndWord(word_begin, place, next);
      word_begin = after;
      if (byte_class == kNewline) next = EndSentence(next);
    }
    word_begin_ = word_begin;
    queued_ = static_cast<size_t>(next - queue_.data());
  }

  BlockWords::Word* EndWord(size_t begin, size_t end, BlockWords::Word* next) {
    if (end <= begin) return next;
    const size_t size = end - begin;
    if (size > max_word_bytes_) return DropWord(next);
    next->key = MakeWordKey(text_.data() + begin, size);
    next->offset = static_cast<uint32_t>(begin);
    next->size = static_cast<uint32_t>(size);
    out_->words.Prefetch(next->key);
    return next + 1;
  }

  BlockWords::Word* DropWord(BlockWords::Word* next) {
    ++out_->too_long;
    return next;
  }

  BlockWords::Word* EndSentence(BlockWords::Word* next) {
    next->size = 0;
    ++out_->lines;
    return next + 1;
  }

  void LookUp() {
    if (out_->ids.size() < num_ids_ + queued_) {
      out_->ids.resize(2 * (num_ids_ + queue_.size()));
    }
    uint32_t* id = out_->ids.data() + num_ids_;
    for (size_t i = 0; i < queued_; ++i) {
      id[i] = queue_[i].size > 0 ? out_->words.Add(queue_[i])
                                 : TokenStream::kSentenceEnd;
    }
    num_ids_ += queued_;
    queued_ = 0;
  }

  absl::string_view text_;
  size_t max_word_bytes_;
  TokenizedBlock* out_;
  size_t word_begin_ = 0;
  size_t num_ids_ = 0;
  bool has_nul_ = false;
  // Each byte of a chunk can yield at most a word and a sentence end.
  std::array<BlockWords::Word, 2 * kChunk> queue_;
  size_t queued_ = 0;
};

// Adds words from an input that consists of words.
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

// Separate from the main loop, for text that contains NUL.
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

void BlockWords::Reset(absl::string_view text) {
  text_ = text.data();
  words_.clear();
  counts_.clear();
  const size_t slots = std::bit_ceil(
      std::clamp(text.size() / kBytesPerSlot, kLeastSlots, kMostSlotsAtFirst));
  slots_.assign(slots, 0);
  mask_ = slots - 1;
}

uint32_t BlockWords::Insert(const Word& word, size_t slot) {
  const auto index = static_cast<uint32_t>(words_.size());
  words_.push_back(word);
  counts_.push_back(1);
  slots_[slot] = Tag(word.key.hash) << 32 | (index + 1);
  if (words_.size() * 2 > mask_) Grow();
  return index;
}

void BlockWords::Grow() {
  const size_t slots = (mask_ + 1) * 2;
  slots_.assign(slots, 0);
  mask_ = slots - 1;
  for (size_t index = 0; index < words_.size(); ++index) {
    const uint64_t hash = words_[index].key.hash;
    size_t i = hash & mask_;
    while (slots_[i] != 0) i = (i + 1) & mask_;
    slots_[i] = Tag(hash) << 32 | (index + 1);
  }
}

void Tokenize(const TextBlock& block, size_t max_word_bytes,
              TokenizedBlock* out) {
  const absl::string_view text = block.text();
  out->words.Reset(text);
  out->tokens = out->too_long = out->lines = 0;
  out->tokens_with_nul = out->first_nul_line = 0;
  if (!block.word_ends.empty()) {
    AddWords(block, max_word_bytes, out);
    if (absl::StrContains(text, '\0')) CountNulTokens(block, out);
    return;
  }
  if (Splitter(text, max_word_bytes, out).Run()) CountNulTokens(block, out);
  const bool newline_at_end = !text.empty() && text.back() == '\n';
  if (block.ends_line && !newline_at_end) {
    out->ids.push_back(TokenStream::kSentenceEnd);
    ++out->lines;
  }
}

}  // namespace firth
