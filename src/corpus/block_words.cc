#include "corpus/block_words.h"

#include <algorithm>
#include <bit>

namespace firth {
namespace {

constexpr size_t kLeastSlots = 64;
constexpr size_t kMostSlotsAtFirst = size_t{1} << 16;
// A full block has about one distinct word per this many bytes, with room to
// spare.
constexpr size_t kBytesPerSlot = 32;

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

}  // namespace firth
