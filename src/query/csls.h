// Neighbours across two tables whose rows are in one space: what refinement and
// retrieval by CSLS (Conneau et al. 2018) are made of. Every call takes memory
// for its answers only, whatever the number of rows.

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

// Errors: InvalidArgument, their dimensions differ.
absl::Status CheckSameDim(const WordVectors& source, const WordVectors& target);

// For each vector the `top` rows that score best, best first.
std::vector<std::vector<Neighbor>> FindBestRows(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t top);

// Half the mean cosine of each vector with its k nearest rows: what r_T(x) / 2
// and r_S(y) / 2 are in the paper. Taken off a cosine as a penalty, it makes a
// score that ranks as CSLS does.
std::vector<float> HalfMeanCosines(
    const ScannedRows& rows, absl::Span<const absl::Span<const float>> vectors,
    size_t k);

// The rows of `source` and `target` that are each other's best by CSLS with k
// neighbours, in the order of `source`.
std::vector<WordPair> MutualBest(const ScannedRows& source,
                                 const ScannedRows& target, size_t k);

}  // namespace firth

#endif  // FIRTH_QUERY_CSLS_H_
