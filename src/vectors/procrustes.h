// The rotation that moves some rows as close as possible to others.
//
// The orthogonal W that minimizes sum_i |W x_i - y_i|^2 is
//
//   W = U V^T    where    sum_i y_i x_i^T = U S V^T
//
// is a singular value decomposition (Schönemann, "A Generalized Solution of the
// Orthogonal Procrustes Problem", Psychometrika 1966).

#ifndef FIRTH_VECTORS_PROCRUSTES_H_
#define FIRTH_VECTORS_PROCRUSTES_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "vectors/principal_components.h"

namespace firth {

// Returns W for `pairs` rows x and y, [dim, dim] row by row. If the pairs do
// not determine it, returns one of the best. Errors: InvalidArgument, a sum
// that is not finite; ResourceExhausted.
absl::StatusOr<std::vector<float>> ProcrustesRotation(size_t pairs, size_t dim,
                                                      FillBlock x, FillBlock y);

// Maps x to rotation (x - from) + to.
struct RigidMotion {
  std::vector<float> rotation;  // [dim, dim], orthogonal
  std::vector<float> from, to;  // [dim]
};

// Returns every row, times its scale, moved; uses all cores. `scales`: [rows],
// or empty if all are 1. Errors: ResourceExhausted.
absl::StatusOr<FloatTable> MoveRows(const FloatTable& table,
                                    const RigidMotion& motion,
                                    absl::Span<const float> scales = {});

}  // namespace firth

#endif  // FIRTH_VECTORS_PROCRUSTES_H_
