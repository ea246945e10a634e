// NgramCounts: the n-grams of a text, of each order, with the counts that
// Kneser-Ney smoothing uses.
//
// Only the n-grams of the maximum order N are collected from the text. Before
// the first word of a sentence come N - 1 times <S>. Each shorter n-gram is the
// end of a longer one, so that its counts follow from the sorted counts of the
// next order (Heafield et al., "Scalable modified Kneser-Ney language model
// estimation", 2013):
//
//   occurrences(h w) = sum over v of occurrences(v h w)
//   count(h w)       = number of different v with count(v h w) > 0
//
// except that `count` is the number of occurrences for order N and for n-grams
// that begin with <S>, since nothing precedes them. N-grams with <S> after the
// first word only serve to count others and are left out.

#ifndef FIRTH_LM_NGRAM_NGRAM_COUNTS_H_
#define FIRTH_LM_NGRAM_NGRAM_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/progress.h"
#include "lm/ngram/sorted_counts.h"

namespace firth {

struct NgramCounting {
  int order = 0;
  size_t vocab_size = 0;
  // Id of each word of the text; the first ids are those of kMarks.
  absl::Span<const uint32_t> ids;
  // [order] N-grams of order n with at most this many occurrences are pruned.
  std::vector<uint64_t> prune;
  uint64_t memory_bytes = 0;  // for counts
  std::string temp_dir;
};

// The n-grams of one order, from 1 to N.
struct NgramOrderCounts {
  NgramOrderCounts(uint64_t buffer_bytes, uint64_t most_counts,
                   const std::string& temp_dir)
      : counts(buffer_bytes, most_counts, temp_dir) {}

  SortedCounts counts;
  // Numbers of n-grams with count 1, 2, 3 and 4, at [1] to [4].
  std::array<uint64_t, 5> of_count = {};
  uint64_t total = 0;   // Number of n-grams.
  uint64_t kept = 0;    // Those among them that are not pruned.
  uint64_t padded = 0;  // N-grams with <S> after the first word, left out.
};

class NgramCounts {
 public:
  // Counts the n-grams of the text, which must have fewer than 2^32 tokens.
  // Errors: InvalidArgument, too many tokens, or words for this order;
  // ResourceExhausted, a full disk; Cancelled.
  static absl::StatusOr<NgramCounts> Count(const Corpus& text,
                                           NgramCounting counting,
                                           const Hooks& hooks);

  int order() const { return counting_.order; }
  size_t vocab_size() const { return counting_.vocab_size; }
  const NgramPacking& packing() const { return packing_; }
  const NgramOrderCounts& OfOrder(int n) const { return orders_[n - 1]; }
  bool IsKept(const NgramCount& counted, int n) const {
    return counted.occurrences > counting_.prune[n - 1];
  }
  // Returns the bytes of temporary files.
  uint64_t file_bytes() const;

  // Calls visit(count) for each n-gram of order n, sorted by its words. Errors:
  // reading a temporary file fails; Cancelled.
  template <class Visit>
  absl::Status ForEach(int n, const Hooks& hooks, const Visit& visit) const {
    return OfOrder(n).counts.ForEachBlock(
        hooks, [&](SortedCounts::Block block) -> absl::Status {
          for (const NgramCount& counted : block) {
            if (IsPadded(counted, n)) continue;
            FIRTH_RETURN_IF_ERROR(visit(counted));
          }
          return absl::OkStatus();
        });
  }

 private:
  NgramCounts(NgramCounting counting, NgramPacking packing)
      : counting_(std::move(counting)), packing_(packing) {}

  // Returns whether the second word is <S>.
  bool IsPadded(const NgramCount& counted, int n) const {
    return n >= 2 && packing_.Word(counted.words(), n - 2) == 0;
  }
  // Starts the counts of the next lower order.
  NgramOrderCounts& AddOrder(uint64_t most_counts);
  absl::Status CountText(const Corpus& text, const Hooks& hooks);
  // Counts order n, given the order above it.
  absl::Status CountBelow(int n, const Hooks& hooks);
  absl::Status CountCounts(int n, const Hooks& hooks);

  NgramCounting counting_;
  NgramPacking packing_;
  std::deque<NgramOrderCounts> orders_;  // [order]
};

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_COUNTS_H_
