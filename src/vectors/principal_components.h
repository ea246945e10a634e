// The directions in which rows vary most.

#ifndef FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_
#define FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

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
