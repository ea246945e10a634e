// Compares one query with rows of any form, as they are in memory, without
// converting whole rows to floats first.
//
//   float32, float16, int8   rows are widened in registers
//   pq                       scores are sums over tables of the query's dot
//                            products with all centroids of each part

#ifndef FIRTH_QUERY_ROW_SCAN_H_
#define FIRTH_QUERY_ROW_SCAN_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/row_store.h"

namespace firth {

// Returns the unit vector of `vector`, rotated like the rows. The classes here
// and in neighbor_batch.h, quantized_rows.h and hnsw_graph.h require this form.
std::vector<float> UnitQueryVector(const RowStore& rows,
                                   absl::Span<const float> vector);

// Immutable; any number of threads may scan. Borrows the rows and their inverse
// norms.
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

}  // namespace firth

#endif  // FIRTH_QUERY_ROW_SCAN_H_
