// Exact search, for one query or for many at once.
//
// A query is compared with rows of any form, as they are in memory, without
// converting whole rows to floats first.
//
//   float32, float16, int8   rows are widened in registers
//   pq                       scores are sums over tables of the query's dot
//                            products with all centroids of each part

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

// Returns the unit vector of `vector`, rotated like the rows. The classes here,
// in quantized_rows.h and in hnsw_graph.h require this form.
std::vector<float> UnitQueryVector(const RowStore& rows,
                                   absl::Span<const float> vector);

// Compares one query with rows. Immutable; any number of threads may scan.
// Borrows the rows and their inverse norms.
class RowScan {
 public:
  // `unit` is a result of UnitQueryVector().
  RowScan(const RowStore& rows, absl::Span<const float> inverse_norms,
          absl::Span<const float> unit);

  // Computes the cosines of the rows [begin, begin + count) with the query.
  // Each is the same, bit for bit, whatever begin and count are.
  void Cosines(size_t begin, size_t count, float* cosines) const;

 private:
  const RowStore& rows_;
  absl::Span<const float> inverse_norms_;
  std::vector<float> query_;  // the unit vector, or tables for SumLookups()
};

// A query as a unit vector, with the words that must not be answers, sorted.
struct UnitQuery {
  std::vector<float> unit;  // [dim], from UnitQueryVector()
  std::vector<WordId> exclude;

  bool Excludes(WordId word) const {
    return std::binary_search(exclude.begin(), exclude.end(), word);
  }
  // Returns false for zeros, which have no direction and so no neighbors.
  bool HasDirection() const {
    return std::any_of(unit.begin(), unit.end(),
                       [](float value) { return value != 0; });
  }
};

// The rows to search: the first rows of a store, as many as there are inverse
// norms. The score of a row is its cosine minus its penalty.
struct ScannedRows {
  const RowStore& store;
  absl::Span<const float> inverse_norms;  // see vectors/row_block.h
  // One per row, in [-1, 1]; empty means 0.
  absl::Span<const float> penalties = {};

  size_t size() const { return inverse_norms.size(); }
};

// Returns the `top` of the given rows with the best scores, best first, with
// ties broken by id.
std::vector<Neighbor> RankRows(const ScannedRows& rows, const UnitQuery& query,
                               absl::Span<const WordId> candidates, size_t top);

// Returns, for each query, the `top` of all rows with the best scores, using
// all cores. If `hooks` request a stop, the result must be discarded.
std::vector<std::vector<Neighbor>> FindBest(const ScannedRows& rows,
                                            absl::Span<const UnitQuery> queries,
                                            size_t top,
                                            const Hooks& hooks = {});

// Receives the answers for the rows [begin, begin + found.size()). Returns
// whether to continue.
using TakeBest = absl::FunctionRef<bool(
    size_t begin, absl::Span<const std::vector<Neighbor>> found)>;

// Finds, for each row, the `top` best of the others. The answers are those of
// FindBest() for all rows, bit for bit, but take half the time, because each
// pair is scored once. Passes them to `take` block by block, from the first row
// to the last; each block is compared with fewer rows than the one before. Uses
// all cores. Rows must have no penalties. Takes about 24 * top + 250 bytes per
// row.
void FindBestOfEach(const ScannedRows& rows, size_t top, TakeBest take);

}  // namespace firth

#endif  // FIRTH_QUERY_NEIGHBOR_BATCH_H_
