// Batches of sentences for training. Each batch has sentences of similar
// lengths, so that few rows are padding, but no two epochs have the same
// batches.

#ifndef FIRTH_LM_LEARN_DRAWN_BATCHES_H_
#define FIRTH_LM_LEARN_DRAWN_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace firth {

// Indices of sentences.
using SentenceIndices = std::vector<size_t>;

// Returns 0, 1, ... n - 1 in an order drawn by the key.
SentenceIndices DrawnOrder(size_t n, uint64_t key);

// Cuts `order` into batches of similar lengths, with `most` sentences each, or
// fewer if they are long. `length` returns the length of a sentence in tokens.
std::vector<SentenceIndices> BatchByLength(
    absl::FunctionRef<size_t(size_t sentence)> length,
    absl::Span<const size_t> order, size_t most);

// Returns the batches of an epoch over n sentences, drawn by the key.
std::vector<SentenceIndices> DrawnBatches(
    size_t n, absl::FunctionRef<size_t(size_t sentence)> length, size_t most,
    uint64_t key);

}  // namespace firth

#endif  // FIRTH_LM_LEARN_DRAWN_BATCHES_H_
