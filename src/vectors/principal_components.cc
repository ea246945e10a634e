#include "vectors/principal_components.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "vectors/outer_products.h"

namespace firth {
namespace {

using Scatter =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// sum_r (r - center)(r - center)^T
Scatter ScatterMatrix(const FloatTable& table, absl::Span<const float> center) {
  const auto fill = [&](size_t begin, size_t count, float* block) {
    for (size_t row = begin; row < begin + count; ++row) {
      const auto values = table.Row(row);
      for (size_t i = 0; i < values.size(); ++i) {
        *block++ = values[i] - center[i];
      }
    }
  };
  const std::vector<double> sum =
      SumOuterProducts(table.rows(), table.cols(), fill, fill);
  const auto size = static_cast<Eigen::Index>(table.cols());
  return Eigen::Map<const Scatter>(sum.data(), size, size);
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

Components PrincipalComponents(const FloatTable& table,
                               absl::Span<const float> center, size_t count) {
  const Eigen::SelfAdjointEigenSolver<Scatter> solver(
      ScatterMatrix(table, center));
  const size_t cols = table.cols();
  count = std::min(count, cols);
  Components components;
  components.vectors.reserve(count * cols);
  for (size_t k = 0; k < count; ++k) {  // eigenvalues rise
    const auto column = static_cast<Eigen::Index>(cols - 1 - k);
    for (size_t i = 0; i < cols; ++i) {
      components.vectors.push_back(static_cast<float>(
          solver.eigenvectors()(static_cast<Eigen::Index>(i), column)));
    }
    // Rounding makes some of those that are 0 negative.
    components.sums.push_back(std::max(solver.eigenvalues()(column), 0.0));
  }
  return components;
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
