// The directions in which rows vary most, and the sums from which they are
// computed.

#ifndef FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_
#define FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"

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

// Returns the mean of the rows, each times its scale, [cols]; zeros if there
// are none. `scales`: [rows], or empty if all are 1. Summed in double.
std::vector<float> MeanRow(const FloatTable& table,
                           absl::Span<const float> scales = {});

struct Components {
  // [count, cols], row by row, of unit length or zeros.
  std::vector<float> vectors;
  // [count], sums of the squares of the rows' projections.
  std::vector<double> sums;
};

// Returns the first `count` (at most cols) eigenvectors of sum_r (r - center)(r
// - center)^T and their eigenvalues, the largest first. `center`: [cols]. Takes
// at most min(rows, cols)^3 operations. If there are fewer rows than columns,
// components in which the rows do not vary are zeros. Errors: those of
// DecomposeSymmetric(); ResourceExhausted, before the work, if memory does not
// suffice; Cancelled by *stop, which may be null.
absl::StatusOr<Components> PrincipalComponents(
    const FloatTable& table, absl::Span<const float> center, size_t count,
    const std::atomic<bool>* stop = nullptr);

// Subtracts `center` from `row`, and then its projections on the components,
// which must be orthonormal: [n, row.size()].
void RemoveComponents(absl::Span<const float> center,
                      absl::Span<const float> components,
                      absl::Span<float> row);

}  // namespace firth

#endif  // FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_
