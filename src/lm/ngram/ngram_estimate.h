// Estimates the probabilities of a counting model from its counts.

#ifndef FIRTH_LM_NGRAM_NGRAM_ESTIMATE_H_
#define FIRTH_LM_NGRAM_NGRAM_ESTIMATE_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/counting_model.h"
#include "firth/progress.h"
#include "lm/ngram/ngram_counts.h"
#include "lm/ngram/ngram_trie.h"

namespace firth {

// What is subtracted from counts of 0, 1, 2, and of 3 or more.
using NgramDiscounts = std::array<double, 4>;

// Returns the discounts of modified Kneser-Ney for each order, [order]. Errors:
// FailedPrecondition, a number of n-grams with count 1 to 3 is 0, or a discount
// is out of range, and training.discount_fallback is not set.
absl::StatusOr<std::vector<NgramDiscounts>> EstimateDiscounts(
    const NgramCounts& counts, const CountingTraining& training);

// Returns the n-grams that are not pruned, with their probabilities. Errors:
// those of counts.ForEach(); ResourceExhausted, they do not fit into memory.
absl::StatusOr<NgramTrie> EstimateTrie(
    const NgramCounts& counts, const CountingTraining& training,
    const std::vector<NgramDiscounts>& discounts, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_ESTIMATE_H_
