#include "vectors/procrustes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "base/saturated.h"
#include "firth/status_macros.h"
#include "simd/decompositions.h"
#include "simd/gemm.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// A decomposition needs about eight matrices of doubles at a time. A dimension
// for which even the sums do not fit into memory would be too expensive in any
// case, because the cost is cubic.
absl::Status CheckMemory(size_t dim) {
  return CheckMemoryFor(absl::StrCat("a rotation of ", dim, " dimensions"),
                        MultiplySaturated(8 * sizeof(double) * dim, dim));
}

// Writes scale * row - from for `count` rows: [count, dim].
void CenterRows(const FloatTable& table, absl::Span<const float> scales,
                absl::Span<const float> from, size_t begin, size_t count,
                float* to) {
  for (size_t row = begin; row < begin + count; ++row) {
    const float scale = scales.empty() ? 1 : scales[row];
    const auto values = table.Row(row);
    for (size_t i = 0; i < values.size(); ++i) {
      *to++ = scale * values[i] - from[i];
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<float>> ProcrustesRotation(size_t pairs, size_t dim,
                                                      FillBlock x,
                                                      FillBlock y) {
  FIRTH_RETURN_IF_ERROR(CheckMemory(dim));
  std::vector<double> sums = SumOuterProducts(pairs, dim, y, x);
  if (!absl::c_all_of(sums, [](double sum) { return std::isfinite(sum); })) {
    return absl::InvalidArgumentError(
        "the products of the vectors are not finite; the values are too large");
  }
  FIRTH_ASSIGN_OR_RETURN(const std::vector<double> rotation,
                         NearestOrthogonal(std::move(sums), dim));
  return std::vector<float>(rotation.begin(), rotation.end());
}

absl::StatusOr<FloatTable> MoveRows(const FloatTable& table,
                                    const RigidMotion& motion,
                                    absl::Span<const float> scales) {
  const size_t dim = table.cols();
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix moved,
                         AllocateTable("aligned vectors", table.rows(), dim));
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::vector<float> centered;
    exceptions.Catch([&] { centered.resize(kBlockRows * dim); });
#pragma omp for schedule(static)
    for (size_t begin = 0; begin < table.rows(); begin += kBlockRows) {
      if (centered.empty()) continue;
      const size_t count = std::min(kBlockRows, table.rows() - begin);
      CenterRows(table, scales, motion.from, begin, count, centered.data());
      for (size_t row = begin; row < begin + count; ++row) {
        std::copy(motion.to.begin(), motion.to.end(), moved.Row(row));
      }
      Gemm(Transpose::kNo, Transpose::kYes, count, dim, dim, 1, centered.data(),
           dim, motion.rotation.data(), dim, 1, moved.Row(begin),
           moved.stride());
    }
  }
  exceptions.Rethrow();
  return moved;
}

}  // namespace firth
