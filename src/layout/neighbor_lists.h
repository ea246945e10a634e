// The nearest neighbours of every word, the same whatever the number of
// threads.

#ifndef FIRTH_LAYOUT_NEIGHBOR_LISTS_H_
#define FIRTH_LAYOUT_NEIGHBOR_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

// Of each of n words `count` others with a value each: first their distances,
// then what is made of these.
struct NeighborLists {
  size_t count = 0;
  std::vector<uint32_t> ids;  // [n, count], nearest first
  std::vector<float> values;  // [n, count]

  size_t size() const { return count == 0 ? 0 : ids.size() / count; }
  absl::Span<const uint32_t> Ids(size_t word) const {
    return {ids.data() + word * count, count};
  }
  absl::Span<float> Values(size_t word) {
    return {values.data() + word * count, count};
  }
  absl::Span<const float> Values(size_t word) const {
    return {values.data() + word * count, count};
  }
};

// Told the fraction that is done; false: the work is to stop.
using Continue = absl::FunctionRef<bool(double fraction)>;

// Multiplications of all words with all, each pair taken twice, that are worth
// it: they take a minute and a half on one core, for 163,000 words of 300
// dimensions.
inline constexpr double kMostProducts = 8e12;

// The `count` words of greatest cosine with each word, itself left out, with 1
// - cosine as the distance; fewer where there are fewer words. Every word has a
// norm. Exact where that takes at most `most_products` multiplications; else
// nearly all are right. On as many threads as OpenMP is set to. Errors:
// Cancelled, ResourceExhausted.
absl::StatusOr<NeighborLists> FindNeighborLists(
    const WordVectors& vectors, size_t count, Continue go_on,
    double most_products = kMostProducts);

}  // namespace firth

#endif  // FIRTH_LAYOUT_NEIGHBOR_LISTS_H_
