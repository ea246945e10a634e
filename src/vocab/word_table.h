// WordTable: the words of a whole text, with their counts.
//
// Designed for many millions of words. A word takes 32 bytes, 16 to 32 for its
// slots, and its own bytes, so the memory is known exactly and is the same on
// every machine.

#ifndef FIRTH_VOCAB_WORD_TABLE_H_
#define FIRTH_VOCAB_WORD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/prefetch.h"

namespace firth {

// Words are numbered by first appearance. Not thread-safe.
class WordTable {
 public:
  // Ids are below this.
  static constexpr uint32_t kMostIds = 0xFFFFFFFFu;

  struct Entry {
    const char* bytes;
    uint32_t size;
    uint32_t id;
    uint64_t hash;
    uint64_t count;

    absl::string_view word() const { return {bytes, size}; }
  };

  WordTable();

  // Prefetch the memory that Add() will use for a word with this hash. It is in
  // three places, and each call reads what the one before has prefetched.
  void PrefetchSlot(uint64_t hash) const {
    PrefetchForRead(&slots_[hash & mask_]);
  }
  void PrefetchEntry(uint64_t hash) {
    if (Entry* entry = FirstEntry(hash)) PrefetchForWrite(entry);
  }
  void PrefetchBytes(uint64_t hash) {
    if (const Entry* entry = FirstEntry(hash)) PrefetchForRead(entry->bytes);
  }
  // Adds to the word's count, which starts at 0, and returns its id. Requires
  // next_id() < kMostIds. Equal words must have equal hashes.
  uint32_t Add(absl::string_view word, uint64_t hash, uint64_t count);

  size_t size() const { return size_; }
  // Returns a number above all ids so far, including those of dropped words.
  uint32_t next_id() const { return next_id_; }
  // Returns entry `index` of size(), in order of id.
  const Entry& entry(size_t index) const {
    return chunks_[index / kChunkEntries][index % kChunkEntries];
  }
  // Returns the bytes of the entries, the words and the slots.
  uint64_t MemoryBytes() const;

  struct Dropped {
    uint64_t threshold = 0;  // Words up to this count were dropped.
    uint64_t types = 0;
    uint64_t tokens = 0;
  };
  // Drops the rarest words, using the smallest threshold that brings
  // MemoryBytes() below `target`. A dropped word that occurs again gets a new
  // id.
  Dropped Prune(uint64_t target);

 private:
  static constexpr size_t kChunkEntries = size_t{1} << 15;
  static constexpr size_t kBlockBytes = size_t{1} << 20;
  struct ByteBlock {
    std::unique_ptr<char[]> bytes;
    size_t size;
  };

  // Returns the entry in the first slot for this hash, which may be another
  // word's, or null if that slot is free.
  Entry* FirstEntry(uint64_t hash) {
    const auto number = static_cast<uint32_t>(slots_[hash & mask_]);
    return number == 0 ? nullptr : &MutableEntry(number - 1);
  }
  Entry& MutableEntry(size_t index) {
    return chunks_[index / kChunkEntries][index % kChunkEntries];
  }
  void Append(const Entry& entry);
  const char* Keep(absl::string_view word);
  void Rehash(size_t slots);
  void RemoveUpTo(uint64_t threshold);
  uint64_t LeastThreshold(uint64_t target) const;

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  size_t size_ = 0;
  uint32_t next_id_ = 0;
  // 0 if free, otherwise tag << 32 | (index + 1).
  std::vector<uint64_t> slots_;
  size_t mask_ = 0;
  std::vector<ByteBlock> blocks_;  // The words' bytes, in order of id.
  size_t last_block_used_ = 0;
  uint64_t word_bytes_ = 0;  // Bytes in all blocks.
};

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_TABLE_H_
