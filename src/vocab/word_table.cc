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
// What a word takes with its slots, for choosing a threshold.
constexpr uint64_t kSlotBytesPerWord = 16;

uint64_t Tag(uint64_t bits) { return bits >> 32; }

}  // namespace

WordTable::WordTable() { Rehash(kLeastSlots); }

uint64_t WordTable::MemoryBytes() const {
  return size_ * sizeof(Entry) + slots_.size() * sizeof(uint64_t) +
         block_bytes_;
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
  if (size_ * 2 > mask_) Rehash(slots_.size() * 2);
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
    block_bytes_ += size;
    last_block_used_ = 0;
  }
  char* place = blocks_.back().bytes.get() + last_block_used_;
  std::memcpy(place, word.data(), word.size());
  last_block_used_ += word.size();
  return place;
}

void WordTable::Rehash(size_t slots) {
  // The old slots go first: hashes are in the entries.
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
  std::map<uint64_t, uint64_t> bytes_by_count;
  uint64_t bytes = 0;
  for (size_t index = 0; index < size_; ++index) {
    const uint64_t own = sizeof(Entry) + kSlotBytesPerWord + entry(index).size;
    bytes_by_count[entry(index).count] += own;
    bytes += own;
  }
  for (const auto& [count, freed] : bytes_by_count) {
    bytes -= freed;
    if (bytes <= target) return count;
  }
  return bytes_by_count.empty() ? 0 : bytes_by_count.rbegin()->first;
}

void WordTable::RemoveUpTo(uint64_t threshold) {
  // Bytes stand in the order of the entries, so an old block is done with as
  // soon as the first word of the next one comes.
  std::vector<ByteBlock> old_blocks = std::move(blocks_);
  blocks_.clear();
  block_bytes_ = 0;
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
  Rehash(std::max(kLeastSlots, std::bit_ceil(4 * size_)));
  return dropped;
}

}  // namespace firth
