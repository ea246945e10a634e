#include "vectors/principal_components.h"

#include <algorithm>
#include <utility>

#include "firth/status_macros.h"
#include "simd/symmetric_eigen.h"
#include "vectors/outer_products.h"

namespace firth {
namespace {

// sum_r (r - center)(r - center)^T
std::vector<double> ScatterMatrix(const FloatTable& table,
                                  absl::Span<const float> center) {
  const auto fill = [&](size_t begin, size_t count, float* block) {
    for (size_t row = begin; row < begin + count; ++row) {
      const auto values = table.Row(row);
      for (size_t i = 0; i < values.size(); ++i) {
        *block++ = values[i] - center[i];
      }
    }
  };
  return SumOuterProducts(table.rows(), table.cols(), fill, fill);
}

}  // namespace

std::vector<float> MeanRow(const FloatTable& table,
                           absl::Span<const float> scales) {
  std::vector<double> sums(table.cols());
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto values = table.Row(row);
    const double scale = scales.empty() ? 1 : scales[row];
    for (size_t i = 0; i < values.size(); ++i) sums[i] += scale * values[i];
  }
  std::vector<float> mean(table.cols());
  for (size_t i = 0; i < mean.size() && table.rows() > 0; ++i) {
    mean[i] = static_cast<float>(sums[i] / static_cast<double>(table.rows()));
  }
  return mean;
}

absl::StatusOr<Components> PrincipalComponents(const FloatTable& table,
                                               absl::Span<const float> center,
                                               size_t count) {
  const size_t cols = table.cols();
  FIRTH_ASSIGN_OR_RETURN(
      SymmetricEigen eigen,
      DecomposeSymmetric(ScatterMatrix(table, center), cols));
  count = std::min(count, cols);
  eigen.vectors.resize(count * cols);
  eigen.values.resize(count);
  // Rounding makes some of those that are 0 negative.
  for (double& value : eigen.values) value = std::max(value, 0.0);
  return Components{{eigen.vectors.begin(), eigen.vectors.end()},
                    std::move(eigen.values)};
}

void RemoveComponents(absl::Span<const float> center,
                      absl::Span<const float> components,
                      absl::Span<float> row) {
  for (size_t i = 0; i < row.size(); ++i) row[i] -= center[i];
  for (size_t begin = 0; begin < components.size(); begin += row.size()) {
    const auto component = components.subspan(begin, row.size());
    double projection = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      projection += double{row[i]} * component[i];
    }
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] -= static_cast<float>(projection * component[i]);
    }
  }
}

}  // namespace firth
