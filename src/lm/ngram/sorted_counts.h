// SortedCounts: adds up the counts of n-grams, sorted by their words, within a
// limit of memory.
//
// The ids of an n-gram are packed into one number, the first word in the
// highest bits, so that the order of numbers is that of n-grams. Counts are
// collected in a buffer. When it is full, it is sorted, and equal n-grams are
// added up. If that frees too little of it, it becomes a run of a temporary
// file without a name. Reading merges the runs.

#ifndef FIRTH_LM_NGRAM_SORTED_COUNTS_H_
#define FIRTH_LM_NGRAM_SORTED_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/progress.h"
#include "firth/status_macros.h"

namespace firth {

// How ids are packed. The n-gram a b c has the number (a << 2 bits) | (b <<
// bits) | c.
class NgramPacking {
 public:
  // Errors: InvalidArgument, n-grams of this order do not fit into 128 bits.
  static absl::StatusOr<NgramPacking> Create(int order, size_t vocab_size);

  absl::uint128 Append(absl::uint128 words, uint32_t word) const {
    return words << bits_ | word;
  }
  // Returns the words without the last `count`.
  absl::uint128 WithoutLast(absl::uint128 words, int count = 1) const {
    return words >> (bits_ * count);
  }
  // Returns the last `count` words, fewer than 128 bits.
  absl::uint128 Last(absl::uint128 words, int count) const {
    return words & ((absl::uint128(1) << (bits_ * count)) - 1);
  }
  // Returns the word at this distance from the last.
  uint32_t Word(absl::uint128 words, int distance) const {
    return static_cast<uint32_t>(words >> (bits_ * distance)) & mask_;
  }

 private:
  explicit NgramPacking(int bits) : bits_(bits), mask_((1ULL << bits) - 1) {}
  int bits_;
  uint32_t mask_;
};

struct NgramCount {
  NgramCount(absl::uint128 words, uint32_t its_count, uint32_t its_occurrences)
      : high(absl::Uint128High64(words)),
        low(absl::Uint128Low64(words)),
        count(its_count),
        occurrences(its_occurrences) {}

  absl::uint128 words() const { return absl::MakeUint128(high, low); }
  bool operator<(const NgramCount& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
  bool SameWords(const NgramCount& other) const {
    return low == other.low && high == other.high;
  }
  void Add(const NgramCount& other) {
    count += other.count;
    occurrences += other.occurrences;
  }

  uint64_t high;
  uint64_t low;
  uint32_t count;        // what the model is estimated from
  uint32_t occurrences;  // in the text
};

// Sums of counts must be below 2^32.
class SortedCounts {
 public:
  // The buffer takes at most `buffer_bytes` and has room for a few counts at
  // least, but never for more than `most_counts`.
  SortedCounts(uint64_t buffer_bytes, uint64_t most_counts,
               std::string temp_dir);
  ~SortedCounts();
  SortedCounts(const SortedCounts&) = delete;
  SortedCounts& operator=(const SortedCounts&) = delete;

  // Errors: those of temporary files, such as a full disk.
  absl::Status Add(const NgramCount& count) {
    if (buffer_.size() == capacity_) FIRTH_RETURN_IF_ERROR(MakeRoom());
    buffer_.push_back(count);
    return absl::OkStatus();
  }
  // Must be called once, after the last Add().
  absl::Status Finish();

  uint64_t memory_bytes() const {
    return buffer_.capacity() * sizeof(NgramCount);
  }
  uint64_t file_bytes() const { return ends_.empty() ? 0 : ends_.back(); }

  // Calls visit(counts) for all n-grams, in order and in blocks. It must be
  // finished. Errors: those of `visit` and of reading the temporary file;
  // Cancelled.
  using Block = absl::Span<const NgramCount>;
  absl::Status ForEachBlock(
      const Hooks& hooks,
      absl::FunctionRef<absl::Status(Block counts)> visit) const;

 private:
  // Sorts the buffer and adds up equal n-grams.
  void Collapse();
  absl::Status MakeRoom();
  absl::Status WriteRun();
  absl::Status MergeRuns(
      const Hooks& hooks,
      absl::FunctionRef<absl::Status(Block counts)> visit) const;

  const size_t capacity_;
  const std::string temp_dir_;
  std::vector<NgramCount> buffer_;  // empty at the end if there are runs
  int fd_ = -1;
  std::vector<uint64_t> ends_;  // of the runs, in bytes of the file
};

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_SORTED_COUNTS_H_
