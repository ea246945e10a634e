// Reads blocks of rows of any form as floats, for work with many queries at
// once, which justifies the conversion of the rows to floats. Also computes the
// norms of rows, and means of rows.

#ifndef FIRTH_VECTORS_ROW_BLOCK_H_
#define FIRTH_VECTORS_ROW_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "firth/matrix.h"
#include "firth/row_store.h"

namespace firth {

// Rotates a vector [dim] for products with rows that a product quantizer has
// rotated; returns vectors for other rows unchanged. Rotated rows have the same
// norms as the rows themselves, and the same dot products if the other vector
// is rotated too.
std::vector<float> RotateFor(const RowStore& rows,
                             absl::Span<const float> vector);

// Rows that are decoded, scaled or rotated together, so that they stay in the
// cache.
inline constexpr size_t kBlockRows = 256;

// Reads blocks of at most `most_rows` rows: in place if they are floats,
// otherwise into its own memory, which the next block overwrites. Each thread
// has one. Borrows the rows.
class RowBlock {
 public:
  RowBlock(const RowStore& rows, size_t most_rows);

  // Returns the rows [begin, begin + count), rotated like RotateFor(). Row i
  // starts at the result + i * stride().
  const float* Read(size_t begin, size_t count);
  size_t stride() const { return stride_; }

 private:
  const RowStore& rows_;
  PaddedMatrix decoded_;
  size_t stride_;
};

// Returns 1 / |row|, summed in double, to compute cosines without a second copy
// of a matrix.
//
// A cosine is the dot product of a unit query with a row, times the inverse of
// the row's norm. The inverse is defined only if the norm is a normal float.
// For all other rows (zeros, infinities, NaN, norms that overflow) it is 0, so
// that their cosine with everything is 0. No partial sum of a dot product with
// a unit vector can then overflow, and no score is NaN. Rows of huge or tiny
// values are normalized first (query/unit_rows.h).
float InverseNorm(absl::Span<const float> row);

// Returns the inverse norms of all rows, using all cores.
std::vector<float> InverseNorms(const RowStore& rows);

// Computes the vector of a word with n-grams, which is a mean of rows: sets
// `mean` to (mean + sum of the rows) / count. `mean` [cols] initially has
// zeros or a row that belongs to the mean. `count`, the number of all vectors,
// must be above 0.
void AverageRows(const FloatTable& table, absl::Span<const uint32_t> rows,
                 size_t count, absl::Span<float> mean);

}  // namespace firth

#endif  // FIRTH_VECTORS_ROW_BLOCK_H_
