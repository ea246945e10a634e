#include "vectors/principal_components.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "simd/gemm.h"

namespace firth {
namespace {

// Rows of one product: their sum stays exact enough in floats, and goes into
// doubles.
constexpr size_t kBlockRows = 1024;

// [rows of the block, cols], centered.
std::vector<float> CenteredBlock(const FloatTable& table,
                                 absl::Span<const float> center, size_t begin,
                                 size_t count) {
  std::vector<float> block;
  block.reserve(count * table.cols());
  for (size_t row = begin; row < begin + count; ++row) {
    const auto values = table.Row(row);
    for (size_t i = 0; i < values.size(); ++i) {
      block.push_back(values[i] - center[i]);
    }
  }
  return block;
}

Eigen::MatrixXd ScatterMatrix(const FloatTable& table,
                              absl::Span<const float> center) {
  const size_t cols = table.cols();
  const auto size = static_cast<Eigen::Index>(cols);
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(size, size);
  // Added up in the order of the blocks, whatever the number of threads.
#pragma omp parallel for ordered schedule(static, 1)
  for (size_t begin = 0; begin < table.rows(); begin += kBlockRows) {
    const size_t count = std::min(kBlockRows, table.rows() - begin);
    const std::vector<float> block = CenteredBlock(table, center, begin, count);
    std::vector<float> product(cols * cols);
    Gemm(Transpose::kYes, Transpose::kNo, cols, cols, count, 1, block.data(),
         cols, block.data(), cols, 0, product.data(), cols);
#pragma omp ordered
    scatter += Eigen::Map<const Eigen::MatrixXf>(product.data(), size, size)
                   .cast<double>();
  }
  return scatter;
}

}  // namespace

std::vector<float> MeanRow(const FloatTable& table) {
  std::vector<double> sums(table.cols());
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto values = table.Row(row);
    for (size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
  }
  std::vector<float> mean(table.cols());
  for (size_t i = 0; i < mean.size() && table.rows() > 0; ++i) {
    mean[i] = static_cast<float>(sums[i] / static_cast<double>(table.rows()));
  }
  return mean;
}

std::vector<float> PrincipalComponents(const FloatTable& table,
                                       absl::Span<const float> center,
                                       size_t count) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      ScatterMatrix(table, center));
  const size_t cols = table.cols();
  count = std::min(count, cols);
  std::vector<float> components;
  components.reserve(count * cols);
  for (size_t k = 0; k < count; ++k) {  // eigenvalues rise
    const auto column = static_cast<Eigen::Index>(cols - 1 - k);
    for (size_t i = 0; i < cols; ++i) {
      components.push_back(static_cast<float>(
          solver.eigenvectors()(static_cast<Eigen::Index>(i), column)));
    }
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
