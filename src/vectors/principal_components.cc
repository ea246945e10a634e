// The components are eigenvectors of X^T X, the products of the columns of the
// centered rows X: [rows, cols]. If there are fewer rows than columns, they are
// computed from X X^T, which is smaller and has the same eigenvalues above 0.

#include "vectors/principal_components.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "base/saturated.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "simd/decompositions.h"
#include "simd/gemm.h"

namespace firth {
namespace {

// Up to this many dimensions all eigenvectors are computed. This takes seconds
// and cannot be interrupted.
constexpr size_t kMostDirectDim = 2048;
// The complete decomposition is faster if there are fewer dimensions for each
// component.
constexpr size_t kFewComponents = 64;  // Dimensions per component.

// Eigenvalues below this fraction of the largest one are rounding errors.
constexpr double kNoDifference = 1e-10;

// Rows of one product of matrices.
constexpr size_t kTileRows = 64;

// While a matrix [size, size] is decomposed, there are four such matrices of
// doubles. While it is computed, there are one of doubles, and one of floats
// per thread. The centered rows [rows, cols] are kept if there are fewer rows
// than columns.
absl::Status CheckMemory(size_t rows, size_t cols) {
  const size_t size = std::min(rows, cols);
  FIRTH_RETURN_IF_ERROR(CheckSymmetricDim(size));
  const uint64_t matrices =
      4 * sizeof(double) + sizeof(float) * static_cast<uint64_t>(NumThreads(0));
  const uint64_t kept =
      rows < cols ? MultiplySaturated(sizeof(double) * rows, cols) : 0;
  return CheckMemoryFor(
      absl::StrCat("computing the principal components of ", rows,
                   " vectors of ", cols, " dimensions"),
      AddSaturated(kept, MultiplySaturated(matrices * size, size)));
}

bool IsStopped(const std::atomic<bool>* stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Returns sum_r (r - center)(r - center)^T: [cols, cols].
std::vector<double> ScatterMatrix(const FloatTable& table,
                                  absl::Span<const float> center,
                                  const std::atomic<bool>* stop) {
  const auto fill = [&](size_t begin, size_t count, float* block) {
    for (size_t row = begin; row < begin + count; ++row) {
      const auto values = table.Row(row);
      for (size_t i = 0; i < values.size(); ++i) {
        *block++ = values[i] - center[i];
      }
    }
  };
  return SumOuterProducts(table.rows(), table.cols(), fill, fill, stop);
}

// Returns the rows minus the center: [rows, cols].
std::vector<double> CenteredRows(const FloatTable& table,
                                 absl::Span<const float> center) {
  std::vector<double> centered;
  centered.reserve(table.rows() * table.cols());
  for (size_t row = 0; row < table.rows(); ++row) {
    const auto values = table.Row(row);
    for (size_t i = 0; i < values.size(); ++i) {
      centered.push_back(double{values[i]} - center[i]);
    }
  }
  return centered;
}

// Returns the products of all pairs of rows: [rows, rows].
std::vector<double> RowProducts(const std::vector<double>& rows, size_t cols,
                                const std::atomic<bool>* stop) {
  const size_t count = rows.size() / cols;
  std::vector<double> products(count * count);
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic)
  for (size_t begin = 0; begin < count; begin += kTileRows) {
    if (IsStopped(stop)) continue;
    exceptions.Catch([&] {
      Gemm(Transpose::kNo, Transpose::kYes, std::min(kTileRows, count - begin),
           count, cols, 1.0, rows.data() + begin * cols, cols, rows.data(),
           cols, 0.0, products.data() + begin * count, count);
    });
  }
  exceptions.Rethrow();
  return products;
}

absl::StatusOr<SymmetricEigen> Decompose(std::vector<double> a, size_t dim,
                                         size_t count,
                                         const std::atomic<bool>* stop) {
  if (IsStopped(stop)) return absl::CancelledError("interrupted");
  if (dim > kMostDirectDim && kFewComponents * count <= dim) {
    return LargestEigen(a, dim, count, stop);
  }
  FIRTH_ASSIGN_OR_RETURN(SymmetricEigen eigen,
                         DecomposeSymmetric(std::move(a), dim));
  eigen.values.resize(count);
  eigen.vectors.resize(count * dim);
  return eigen;
}

// Converts eigenvectors of the products X X^T of rows [rows, cols] to those of
// X^T X, which has the same eigenvalues: X X^T u = s u implies X^T X (X^T u) =
// s (X^T u). Eigenvectors of negligible eigenvalues become zeros.
std::vector<double> InColumns(const SymmetricEigen& eigen,
                              const std::vector<double>& rows, size_t cols) {
  const size_t count = eigen.values.size();
  const size_t num_rows = rows.size() / cols;
  std::vector<double> vectors(count * cols);
  Gemm(Transpose::kNo, Transpose::kNo, count, cols, num_rows, 1.0,
       eigen.vectors.data(), num_rows, rows.data(), cols, 0.0, vectors.data(),
       cols);
  for (size_t k = 0; k < count; ++k) {
    const auto vector = absl::MakeSpan(vectors).subspan(k * cols, cols);
    double squares = 0;
    for (const double value : vector) squares += value * value;
    const bool differs = eigen.values[k] > kNoDifference * eigen.values[0];
    const double scale = differs ? 1 / std::sqrt(squares) : 0;
    for (double& value : vector) value *= scale;
    OrientEigenvector(vector);
  }
  return vectors;
}

// A sum over this many rows is accurate enough in floats.
constexpr size_t kSummedRows = 1024;

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
                                               size_t count,
                                               const std::atomic<bool>* stop) {
  const size_t rows = table.rows(), cols = table.cols();
  FIRTH_RETURN_IF_ERROR(CheckMemory(rows, cols));
  count = std::min(count, cols);
  SymmetricEigen eigen;
  if (rows == 0) {
    // All components are zeros.
  } else if (rows < cols) {
    const std::vector<double> centered = CenteredRows(table, center);
    FIRTH_ASSIGN_OR_RETURN(eigen, Decompose(RowProducts(centered, cols, stop),
                                            rows, std::min(count, rows), stop));
    eigen.vectors = InColumns(eigen, centered, cols);
  } else {
    FIRTH_ASSIGN_OR_RETURN(eigen, Decompose(ScatterMatrix(table, center, stop),
                                            cols, count, stop));
  }
  eigen.vectors.resize(count * cols);
  eigen.values.resize(count);
  // Rounding makes some eigenvalues that are 0 negative.
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

std::vector<double> SumOuterProducts(size_t rows, size_t cols, FillBlock x,
                                     FillBlock y,
                                     const std::atomic<bool>* stop) {
  std::vector<double> sum(cols * cols);
  // Added in the order of the blocks, independent of the number of threads.
  ParallelExceptions exceptions;
#pragma omp parallel for ordered schedule(static, 1)
  for (size_t begin = 0; begin < rows; begin += kSummedRows) {
    const size_t count = std::min(kSummedRows, rows - begin);
    std::vector<float> products;
    exceptions.Catch([&] {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) return;
      std::vector<float> x_block(count * cols), y_block(count * cols);
      x(begin, count, x_block.data());
      y(begin, count, y_block.data());
      products.resize(cols * cols);
      Gemm(Transpose::kYes, Transpose::kNo, cols, cols, count, 1,
           x_block.data(), cols, y_block.data(), cols, 0, products.data(),
           cols);
    });
#pragma omp ordered
    for (size_t i = 0; i < products.size(); ++i) sum[i] += products[i];
  }
  exceptions.Rethrow();
  return sum;
}

}  // namespace firth
