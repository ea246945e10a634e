#include "classify/text_map.h"

#include <bit>
#include <utility>

namespace firth {

TextMap::TextMap() { Resize(16); }

void TextMap::Reserve(size_t texts) {
  const size_t slots = std::bit_ceil(2 * texts + 1);
  if (slots > slots_.size()) Resize(slots);
}

uint32_t TextMap::Add(const TextKey& key, uint32_t row) {
  Slot& slot = slots_[SlotOf(key)];
  if (slot.row != kNoFeature) return slot.row;
  slot = {key.key().head, key.key().tail, key.text().data(),
          static_cast<uint32_t>(key.text().size()), row};
  if (2 * ++size_ >= slots_.size()) Resize(2 * slots_.size());
  return kNoFeature;
}

void TextMap::Resize(size_t slots) {
  const std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(slots));
  mask_ = slots - 1;
  for (const Slot& slot : before) {
    if (slot.row == kNoFeature) continue;
    slots_[SlotOf(TextKey({slot.text, slot.size}))] = slot;
  }
}

}  // namespace firth
