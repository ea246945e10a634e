#include "lm/learn/drawn_batches.h"

#include <algorithm>
#include <utility>

#include "base/rng.h"

namespace firth {
namespace {

// Maximum rows of a batch, including padding. This limits the memory that a
// step needs.
constexpr size_t kMostRows = 16384;

// Batches of similar lengths are formed within groups of this many batches,
// whose sentences are drawn anew in each epoch.
constexpr size_t kPoolBatches = 32;

}  // namespace

SentenceIndices DrawnOrder(size_t n, uint64_t key) {
  std::vector<std::pair<uint64_t, size_t>> drawn;
  for (size_t i = 0; i < n; ++i) drawn.emplace_back(CombineKeys(key, i), i);
  std::sort(drawn.begin(), drawn.end());
  SentenceIndices order;
  order.reserve(n);
  for (const auto& [draw, i] : drawn) order.push_back(i);
  return order;
}

std::vector<SentenceIndices> BatchByLength(
    absl::FunctionRef<size_t(size_t sentence)> length,
    absl::Span<const size_t> order, size_t most) {
  SentenceIndices sorted(order.begin(), order.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](size_t a, size_t b) { return length(a) < length(b); });
  std::vector<SentenceIndices> batches;
  for (const size_t sentence : sorted) {
    if (batches.empty() || batches.back().size() == most ||
        (batches.back().size() + 1) * length(sentence) > kMostRows) {
      batches.emplace_back();
    }
    batches.back().push_back(sentence);
  }
  return batches;
}

std::vector<SentenceIndices> DrawnBatches(
    size_t n, absl::FunctionRef<size_t(size_t sentence)> length, size_t most,
    uint64_t key) {
  const SentenceIndices order = DrawnOrder(n, key);
  std::vector<SentenceIndices> all;
  const size_t pool = most * kPoolBatches;
  for (size_t first = 0; first < order.size(); first += pool) {
    for (auto& batch : BatchByLength(
             length, absl::MakeConstSpan(order).subspan(first, pool), most)) {
      all.push_back(std::move(batch));
    }
  }
  std::vector<SentenceIndices> batches;
  for (const size_t i : DrawnOrder(all.size(), CombineKeys(key, 1))) {
    batches.push_back(std::move(all[i]));
  }
  return batches;
}

}  // namespace firth
