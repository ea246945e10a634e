// Many queries at once, exactly.

#ifndef FIRTH_QUERY_NEIGHBOR_BATCH_H_
#define FIRTH_QUERY_NEIGHBOR_BATCH_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/query.h"

namespace firth {

// A query as a unit vector, with the words that are no answers, sorted.
struct UnitQuery {
  std::vector<float> unit;  // [dim], of UnitQueryVector()
  std::vector<WordId> exclude;
};

// For each query the words among which are the `top` of the first num_rows that
// score best, in no order: those and the few that are as good within rounding.
// On all cores.
std::vector<std::vector<WordId>> FindCandidates(
    const WordVectors& vectors, size_t num_rows,
    absl::Span<const UnitQuery> queries, size_t top);

}  // namespace firth

#endif  // FIRTH_QUERY_NEIGHBOR_BATCH_H_
