// Reading rows of any form in blocks, as floats, for work that is done with
// many queries at once and pays for making floats of the rows.

#ifndef FIRTH_VECTORS_ROW_BLOCK_H_
#define FIRTH_VECTORS_ROW_BLOCK_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "firth/row_store.h"

namespace firth {

// Product quantizers may rotate rows. Rotated rows have the dot products and
// norms of the rows themselves, if what they are multiplied with is rotated,
// too: this does that to a vector [dim], or nothing for other rows.
std::vector<float> RotateFor(const RowStore& rows,
                             absl::Span<const float> vector);

// Rows that are decoded, scaled or rotated together: they stay in the cache.
inline constexpr size_t kBlockRows = 256;

// Reads blocks of at most `most_rows` rows: in place where they are floats, or
// into memory of its own, which the next block overwrites. Each thread has one.
// Borrows the rows.
class RowBlock {
 public:
  RowBlock(const RowStore& rows, size_t most_rows);

  // The rows [begin, begin + count), rotated as RotateFor() does; row i starts
  // at the result + i * stride().
  const float* Read(size_t begin, size_t count);
  size_t stride() const { return stride_; }

 private:
  const RowStore& rows_;
  PaddedMatrix decoded_;
  size_t stride_;
};

}  // namespace firth

#endif  // FIRTH_VECTORS_ROW_BLOCK_H_
