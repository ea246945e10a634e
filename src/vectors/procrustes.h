// The rotation that brings some rows as near as can be to others.
//
// Of all orthogonal W, the one that makes sum_i |W x_i - y_i|^2 least is
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
#include "vectors/outer_products.h"

namespace firth {

// W for `pairs` rows x and y, [dim, dim] row by row. Where the pairs do not
// determine it, one of those that are as good. Errors: InvalidArgument, a sum
// that is not finite; ResourceExhausted.
absl::StatusOr<std::vector<float>> ProcrustesRotation(size_t pairs, size_t dim,
                                                      FillBlock x, FillBlock y);

// x -> rotation (x - from) + to
struct RigidMotion {
  std::vector<float> rotation;  // [dim, dim], orthogonal
  std::vector<float> from, to;  // [dim]
};

// Every row, times its scale, moved; on all cores. `scales`: [rows], or empty:
// 1. Errors: ResourceExhausted.
absl::StatusOr<FloatTable> MoveRows(const FloatTable& table,
                                    const RigidMotion& motion,
                                    absl::Span<const float> scales = {});

}  // namespace firth

#endif  // FIRTH_VECTORS_PROCRUSTES_H_
