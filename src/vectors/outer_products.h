// Sums of products of many rows, from which covariances and rotations are
// computed.

#ifndef FIRTH_VECTORS_OUTER_PRODUCTS_H_
#define FIRTH_VECTORS_OUTER_PRODUCTS_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"

namespace firth {

// Writes rows [begin, begin + count) to block [count, cols].
using FillBlock =
    absl::FunctionRef<void(size_t begin, size_t count, float* block)>;

// Returns the sum of x_r y_r^T over `rows` rows, [cols, cols] row by row. It is
// summed in floats within a block of rows, and in double over the blocks. Uses
// all cores; the result is the same, bit for bit, for any number. Several
// threads call x and y. Skips the rest once *stop, which may be null, is true.
std::vector<double> SumOuterProducts(size_t rows, size_t cols, FillBlock x,
                                     FillBlock y,
                                     const std::atomic<bool>* stop = nullptr);

}  // namespace firth

#endif  // FIRTH_VECTORS_OUTER_PRODUCTS_H_
