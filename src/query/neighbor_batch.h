// Many queries at once, exactly.

#ifndef FIRTH_QUERY_NEIGHBOR_BATCH_H_
#define FIRTH_QUERY_NEIGHBOR_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "firth/query.h"
#include "firth/row_store.h"

namespace firth {

// A query as a unit vector, with the words that are no answers, sorted.
struct UnitQuery {
  std::vector<float> unit;  // [dim], of UnitQueryVector()
  std::vector<WordId> exclude;

  bool Excludes(WordId word) const {
    return std::binary_search(exclude.begin(), exclude.end(), word);
  }
  // Zeros have no direction, and so no neighbors.
  bool HasDirection() const {
    return std::any_of(unit.begin(), unit.end(),
                       [](float value) { return value != 0; });
  }
};

// What is looked through: the first rows of a store, as many as have inverse
// norms. The score of a row is its cosine minus its penalty.
struct ScannedRows {
  const RowStore& store;
  absl::Span<const float> inverse_norms;   // see vectors/inverse_norms.h
  absl::Span<const float> penalties = {};  // of each row, in [-1, 1]; empty: 0

  size_t size() const { return inverse_norms.size(); }
};

// The `top` of some rows that score best, best first, ties by id.
std::vector<Neighbor> RankRows(const ScannedRows& rows, const UnitQuery& query,
                               absl::Span<const WordId> candidates, size_t top);

// Of all rows, for each query; on all cores. Where hooks ask to stop, the
// result is of no use.
std::vector<std::vector<Neighbor>> FindBest(const ScannedRows& rows,
                                            absl::Span<const UnitQuery> queries,
                                            size_t top,
                                            const Hooks& hooks = {});

// Takes the answers of the rows [begin, begin + found.size()). Returns whether
// to go on.
using TakeBest = absl::FunctionRef<bool(
    size_t begin, absl::Span<const std::vector<Neighbor>> found)>;

// For each row the `top` best of the others: what FindBest() finds for all of
// them, to the same bits, in half the time, as a pair is scored once. Gives
// them to `take` block after block, from the first to the last row; each block
// has fewer rows to meet than the one before. On all cores. Rows have no
// penalties. Takes 24 * top + 250 bytes a row, about.
void FindBestOfEach(const ScannedRows& rows, size_t top, TakeBest take);

}  // namespace firth

#endif  // FIRTH_QUERY_NEIGHBOR_BATCH_H_
