// Reads blocks of rows of any form as floats, for work with many queries at
// once, which justifies the conversion of the rows to floats.

#ifndef FIRTH_VECTORS_ROW_BLOCK_H_
#define FIRTH_VECTORS_ROW_BLOCK_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
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

}  // namespace firth

#endif  // FIRTH_VECTORS_ROW_BLOCK_H_
