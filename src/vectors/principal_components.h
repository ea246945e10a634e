// The directions in which rows differ most.

#ifndef FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_
#define FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

// The mean of the rows, each times its scale, [cols]; zeros where there are
// none. `scales`: [rows], or empty: 1. Summed in double.
std::vector<float> MeanRow(const FloatTable& table,
                           absl::Span<const float> scales = {});

struct Components {
  std::vector<float> vectors;  // [count, cols], row by row, of unit length or
                               // zeros
  std::vector<double> sums;  // [count], of the squares of the rows' projections
};

// The first `count` (at most cols) eigenvectors of sum_r (r - center)(r -
// center)^T and their eigenvalues, the greatest first. `center`: [cols]. Takes
// min(rows, cols)^3 operations at most. Of fewer rows than columns, components
// in which the rows do not differ are zeros. Errors: as of
// DecomposeSymmetric(); ResourceExhausted, before the work, if memory does not
// suffice; Cancelled by *stop, which may be null.
absl::StatusOr<Components> PrincipalComponents(
    const FloatTable& table, absl::Span<const float> center, size_t count,
    const std::atomic<bool>* stop = nullptr);

// row -= center, then minus its projections on the components, which are
// orthonormal: [n, row.size()].
void RemoveComponents(absl::Span<const float> center,
                      absl::Span<const float> components,
                      absl::Span<float> row);

}  // namespace firth

#endif  // FIRTH_VECTORS_PRINCIPAL_COMPONENTS_H_
