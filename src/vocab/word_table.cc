#include "vocab/word_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "base/check.h"

namespace firth {
namespace {

constexpr size_t kLeastSlots = size_t{1} << 10;
uint64_t Tag(uint64_t bits) { return bits >> 32; }

// Returns the number of slots: a power of 2, of which at most half are used.
size_t SlotsFor(size_t words) {
  return std::max(kLeastSlots, std::bit_ceil(2 * words + 1));
}

uint64_t MemoryFor(size_t words, uint64_t word_bytes) {
  return words * sizeof(WordTable::Entry) + SlotsFor(words) * sizeof(uint64_t) +
         word_bytes;
}

}  // namespace

WordTable::WordTable() { Rehash(kLeastSlots); }

uint64_t WordTable::MemoryBytes() const {
  return MemoryFor(size_, word_bytes_);
}

uint32_t WordTable::Add(absl::string_view word, uint64_t hash, uint64_t count) {
  size_t i = hash & mask_;
  for (; slots_[i] != 0; i = (i + 1) & mask_) {
    if (Tag(slots_[i]) != Tag(hash)) continue;
    Entry& found = MutableEntry(static_cast<uint32_t>(slots_[i]) - 1);
    if (found.hash == hash && found.word() == word) {
      found.count += count;
      return found.id;
    }
  }
  FIRTH_CHECK(next_id_ < kMostIds);
  const uint32_t id = next_id_++;
  Append({Keep(word), static_cast<uint32_t>(word.size()), id, hash, count});
  slots_[i] = Tag(hash) << 32 | size_;
  if (SlotsFor(size_) > slots_.size()) Rehash(SlotsFor(size_));
  return id;
}

void WordTable::Append(const Entry& entry) {
  if (size_ % kChunkEntries == 0) {
    chunks_.push_back(std::make_unique_for_overwrite<Entry[]>(kChunkEntries));
  }
  chunks_[size_ / kChunkEntries][size_ % kChunkEntries] = entry;
  ++size_;
}

const char* WordTable::Keep(absl::string_view word) {
  if (blocks_.empty() || last_block_used_ + word.size() > blocks_.back().size) {
    const size_t size = std::max(kBlockBytes, word.size());
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    last_block_used_ = 0;
  }
  char* place = blocks_.back().bytes.get() + last_block_used_;
  std::memcpy(place, word.data(), word.size());
  last_block_used_ += word.size();
  word_bytes_ += word.size();
  return place;
}

void WordTable::Rehash(size_t slots) {
  // The old slots can be freed before the new ones are allocated, because
  // entries store the hashes.
  slots_ = std::vector<uint64_t>();
  slots_.resize(slots, 0);
  mask_ = slots - 1;
  for (size_t index = 0; index < size_; ++index) {
    const uint64_t hash = entry(index).hash;
    size_t i = hash & mask_;
    while (slots_[i] != 0) i = (i + 1) & mask_;
    slots_[i] = Tag(hash) << 32 | (index + 1);
  }
}

uint64_t WordTable::LeastThreshold(uint64_t target) const {
  struct Share {
    size_t words = 0;
    uint64_t bytes = 0;
  };
  std::map<uint64_t, Share> share_of_count;
  for (size_t index = 0; index < size_; ++index) {
    Share& share = share_of_count[entry(index).count];
    ++share.words;
    share.bytes += entry(index).size;
  }
  Share rest = {size_, word_bytes_};
  uint64_t threshold = 0;
  for (const auto& [count, share] : share_of_count) {
    threshold = count;
    rest.words -= share.words;
    rest.bytes -= share.bytes;
    if (MemoryFor(rest.words, rest.bytes) <= target) break;
  }
  return threshold;
}

void WordTable::RemoveUpTo(uint64_t threshold) {
  // Bytes are in the order of the entries, so an old block can be freed as soon
  // as the first word of the next one is copied.
  std::vector<ByteBlock> old_blocks = std::move(blocks_);
  blocks_.clear();
  word_bytes_ = 0;
  const size_t old_size = std::exchange(size_, 0);
  std::vector<std::unique_ptr<Entry[]>> old_chunks = std::move(chunks_);
  chunks_.clear();
  size_t block = 0;
  for (size_t index = 0; index < old_size; ++index) {
    auto& chunk = old_chunks[index / kChunkEntries];
    Entry moved = chunk[index % kChunkEntries];
    const auto holds = [&](const ByteBlock& bytes) {
      return moved.bytes >= bytes.bytes.get() &&
             moved.bytes < bytes.bytes.get() + bytes.size;
    };
    while (!holds(old_blocks[block])) old_blocks[block++].bytes.reset();
    if (moved.count > threshold) {
      moved.bytes = Keep(moved.word());
      Append(moved);
    }
    if (index % kChunkEntries == kChunkEntries - 1) chunk.reset();
  }
}

WordTable::Dropped WordTable::Prune(uint64_t target) {
  Dropped dropped;
  dropped.threshold = LeastThreshold(target);
  for (size_t index = 0; index < size_; ++index) {
    if (entry(index).count > dropped.threshold) continue;
    ++dropped.types;
    dropped.tokens += entry(index).count;
  }
  RemoveUpTo(dropped.threshold);
  Rehash(SlotsFor(size_));
  return dropped;
}

}  // namespace firth
