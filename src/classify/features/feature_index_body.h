// The internals of a FeatureIndex and of its readers, for code that builds one.

#ifndef FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_BODY_H_
#define FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_BODY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_marks.h"
#include "base/prefetch.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "classify/features/feature_index.h"
#include "corpus/text_cleaner.h"
#include "corpus/word_key.h"
#include "vocab/character_ngrams.h"

namespace firth {

inline constexpr uint32_t kNoFeature = UINT32_MAX;

// A text to search for, not empty. Borrows it.
class TextKey {
 public:
  explicit TextKey(absl::string_view text)
      : text_(text), key_(KeyOf(text.data(), text.size())) {}
  // The caller guarantees that 8 bytes may be read from the start of the text,
  // even if it is shorter.
  struct InRoom {};
  TextKey(absl::string_view text, InRoom)
      : text_(text), key_(MakeWordKey(text.data(), text.size())) {}

  absl::string_view text() const { return text_; }
  const WordKey& key() const { return key_; }

 private:
  static WordKey KeyOf(const char* bytes, size_t size) {
    if (size >= sizeof(uint64_t)) return MakeWordKey(bytes, size);
    // The memory after a short text must not be read.
    const uint64_t whole = LoadShort(bytes, size);
    return MakeWordKey(reinterpret_cast<const char*>(&whole), size);
  }
  // Loads a text of up to 7 bytes with overlapping loads.
  static uint64_t LoadShort(const char* bytes, size_t size) {
    const auto at = [&](size_t place) {
      return uint64_t{static_cast<unsigned char>(bytes[place])} << 8 * place;
    };
    if (size < 4) return at(0) | at(size / 2) | at(size - 1);
    uint32_t first, last;
    std::memcpy(&first, bytes, sizeof(first));
    std::memcpy(&last, bytes + size - sizeof(last), sizeof(last));
    return first | uint64_t{last} << 8 * (size - sizeof(last));
  }

  absl::string_view text_;
  WordKey key_;
};

// A map from the text of a word or n-gram to its row. A slot is half a cache
// line and contains the key of the text, which for up to 16 bytes is the whole
// text. Finding such a text reads one cache line, which can be prefetched while
// other texts are compared. Texts have at most 4 GiB. Not thread-safe during
// changes.
class TextMap {
 public:
  TextMap();

  void Reserve(size_t texts);
  // Returns the row of the text if it is in the map. Otherwise adds it with
  // this row and returns kNoFeature. The text must not move during the lifetime
  // of the map.
  uint32_t Add(const TextKey& key, uint32_t row);

  void Prefetch(const TextKey& key) const {
    PrefetchForRead(&slots_[key.key().hash & mask_]);
  }
  // Returns kNoFeature if there is no such text.
  uint32_t Find(const TextKey& key) const { return slots_[SlotOf(key)].row; }

 private:
  struct alignas(32) Slot {
    uint64_t head;  // of its WordKey
    uint64_t tail;
    const char* text;
    uint32_t size;
    uint32_t row = kNoFeature;  // marks a free slot
  };

  // Returns the slot of the text, or the free slot where it belongs.
  size_t SlotOf(const TextKey& wanted) const {
    const WordKey& key = wanted.key();
    const absl::string_view text = wanted.text();
    size_t at = key.hash & mask_;
    for (; slots_[at].row != kNoFeature; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.head == key.head && slot.tail == key.tail &&
          slot.size == text.size() &&
          (text.size() <= WordKey::kInKey ||
           std::memcmp(slot.text, text.data(), text.size()) == 0)) {
        break;
      }
    }
    return at;
  }
  void Resize(size_t slots);

  std::vector<Slot> slots_;  // a power of 2, at most half of them in use
  size_t mask_;
  size_t size_ = 0;
};

inline uint64_t WordNgramKey(uint32_t prefix, uint32_t last) {
  return uint64_t{prefix} << 32 | last;
}

struct FeatureIndex::Body {
  // Builds the maps from text or key to row. Errors: InvalidArgument, a
  // duplicate, or an invalid row.
  absl::Status SetRows();
  // Computes what is stored with each word. All other members must be set.
  void SetWordCharacters();

  void AppendCharacterRows(absl::string_view word, std::string* marked,
                           std::vector<uint32_t>* rows) const;
  // Returns the row with hashing, or kNoFeature if the bucket has none.
  uint32_t RowOfHash(uint64_t hash) const;

  FeatureParts parts;
  TextMap words;  // views of `parts`
  absl::flat_hash_map<uint64_t, uint32_t> word_ngrams;
  TextMap characters;  // views of `parts`
  absl::flat_hash_map<uint32_t, uint32_t> bucket_rows;
  // The rows of a known word's character n-grams.
  std::vector<uint64_t> character_begins = {0};  // [words + 1]
  std::vector<uint32_t> word_characters;
  std::vector<uint32_t> word_hashes;  // [words], with hashing
};

// The features of one text, in the order of their first appearance.
class FeatureCounter {
 public:
  explicit FeatureCounter(Repeats repeats) : repeats_(repeats) {}

  void Clear() {
    features_.clear();
    if (++generation_ == 0) slots_.assign(slots_.size(), Slot{});
    if (generation_ == 0) generation_ = 1;
  }

  void Add(uint32_t row, uint32_t count) {
    if (repeats_ == Repeats::kApart) return features_.push_back({row, count});
    size_t at = Home(row);
    for (; slots_[at].generation == generation_; at = (at + 1) & mask_) {
      FeatureCount& feature = features_[slots_[at].position];
      if (feature.row == row) {
        feature.count += count;
        return;
      }
    }
    slots_[at] = {generation_, static_cast<uint32_t>(features_.size())};
    features_.push_back({row, count});
    if (features_.size() * 2 > slots_.size()) Grow();
  }

  // Counts each row once more; skips kNoFeature.
  void AddAll(absl::Span<const uint32_t> rows);

  const std::vector<FeatureCount>& features() const { return features_; }

 private:
  struct Slot {
    uint32_t generation = 0;  // the slot is taken if equal to generation_
    uint32_t position = 0;    // index in features_
  };

  size_t Home(uint32_t row) const {
    return (row * uint64_t{0x9e3779b97f4a7c15u} >> 32) & mask_;
  }
  void Grow();

  const Repeats repeats_;
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  size_t mask_ = 1023;
  uint32_t generation_ = 0;
  std::vector<FeatureCount> features_;
};

// Buffers for texts before they are split into tokens.
struct TokenRoom {
  std::string spelled;
  std::string parted;
};

class FeatureIndex::Reader::Body {
 public:
  Body(const FeatureIndex::Body& index, Repeats repeats)
      : index_(index), counts_(repeats) {}

  absl::Span<const FeatureCount> Read(absl::string_view text);
  // Reads a text whose words have these rows; kNoFeature means unknown.
  absl::Span<const FeatureCount> ReadIds(absl::Span<const uint32_t> ids);
  size_t tokens() const { return tokens_.size(); }

 private:
  void SetKeys();
  void CountWordNgrams(absl::Span<const uint32_t> ids);
  void CountHashedNgrams();

  const FeatureIndex::Body& index_;
  FeatureCounter counts_;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> hashes_;   // of the tokens, with hashing
  std::vector<uint32_t> unknown_;  // n-grams of unknown words
  std::vector<absl::string_view> tokens_;
  std::vector<TextKey> keys_;
  TokenRoom room_;
  std::string marked_;
};

// Calls visit(token) for the tokens of a text, in order. The views are valid
// until `room` is used again.
template <class Visit>
void ForEachToken(const FeatureOptions& options, absl::string_view text,
                  TokenRoom* room, Visit visit) {
  const Spelling spelling{options.lowercase, options.normalize};
  if (MayRespell(spelling, text)) {
    room->spelled.clear();
    AppendSpelled(text, spelling, &room->spelled);
    text = room->spelled;
  }
  if (options.split_punctuation) {
    SplitPunctuation(text, &room->parted);
    text = room->parted;
  }
  // Returns 0 if there is no white space.
  const auto space_bytes_at = [&](size_t at) -> size_t {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < 0x80) {
      const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
      return is_space || (c == '\0' && options.hashing) ? 1 : 0;
    }
    return options.hashing ? 0 : WhiteSpaceBytes(text.substr(at));
  };
  MaybeSpaces spaces(text);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = spaces.Find(begin);
    size_t space = 0;
    while (end < text.size() && (space = space_bytes_at(end)) == 0) {
      end = spaces.Find(end + 1);
    }
    const absl::string_view token = text.substr(begin, end - begin);
    begin = end + space;
    if (token.empty()) continue;
    if (options.hashing && token == kSentenceEndWord) break;
    if (!options.label_prefix.empty() &&
        absl::StartsWith(token, options.label_prefix)) {
      continue;
    }
    visit(token);
  }
  if (options.hashing) visit(kSentenceEndWord);
}

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_BODY_H_
