// Neighbors across two tables whose rows are in one space. Refinement and
// retrieval by CSLS (Conneau et al. 2018) are built on them. A call takes
// memory for its answers only, regardless of the number of rows.

#ifndef FIRTH_QUERY_CSLS_H_
#define FIRTH_QUERY_CSLS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "firth/align.h"
#include "firth/word_vectors.h"
#include "query/neighbor_batch.h"

namespace firth {

// Checks that both have the same dimension. Errors: InvalidArgument.
absl::Status CheckSameDim(const WordVectors& source, const WordVectors& target);

// Returns the `top` rows with the best scores for each vector, best first.
std::vector<std::vector<Neighbor>> FindBestRows(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t top);

// Returns half the mean cosine of each vector with its k nearest rows, which is
// r_T(x) / 2 or r_S(y) / 2 in the paper. Subtracted from a cosine as a penalty,
// it gives a score that ranks as CSLS does.
std::vector<float> HalfMeanCosines(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t k);

// Returns the pairs of rows of `source` and `target` that are each other's best
// by CSLS with k neighbors, in the order of `source`.
std::vector<WordPair> MutualBest(const ScannedRows& source,
                                 const ScannedRows& target, size_t k);

}  // namespace firth

#endif  // FIRTH_QUERY_CSLS_H_
