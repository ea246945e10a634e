// TextMap: a map from the text of a word or n-gram to its row.
//
// A slot is half a cache line and contains the key of the text, which for up to
// 16 bytes is the whole text. Finding such a text reads one cache line, which
// can be prefetched while other texts are compared.

#ifndef FIRTH_SRC_CLASSIFY_TEXT_MAP_H_
#define FIRTH_SRC_CLASSIFY_TEXT_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/prefetch.h"
#include "corpus/word_key.h"

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

// Texts have at most 4 GiB. Not thread-safe during changes.
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

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TEXT_MAP_H_
