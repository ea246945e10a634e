#include "simd/decompositions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "simd/blas.h"
#include "simd/gemm.h"

namespace firth {
namespace {

// The size of the workspace, 1 + 6 n + 2 n^2, is an int.
constexpr size_t kMostSymmetricDim = 32'000;

// Returns the eigenvalues in ascending order. Each has its vector as a row of
// `a`, which is a column for LAPACK.
absl::StatusOr<std::vector<double>> Decompose(std::vector<double>* a,
                                              size_t dim) {
  const int n = static_cast<int>(dim);
  const int work_size = 1 + 6 * n + 2 * n * n;
  const int int_work_size = 3 + 5 * n;
  std::vector<double> values(dim);
  std::vector<double> work(static_cast<size_t>(work_size));
  std::vector<int> int_work(static_cast<size_t>(int_work_size));
  int info = 0;
  BlasCall()->dsyevd("V", "U", &n, a->data(), &n, values.data(), work.data(),
                     &work_size, int_work.data(), &int_work_size, &info, 1, 1);
  if (info != 0) {
    return absl::InternalError("the eigenvalue computation did not converge");
  }
  return values;
}

// A block Lanczos method with restarts (Golub and Underwood, "The block Lanczos
// method for computing eigenvalues", 1977). From a block V of rows, it builds
// an orthonormal basis Q of the Krylov space {V, V A, V A^2, ...}, decomposes
// the small matrix Q A Q^T, and restarts from the vectors in the space of Q
// that are closest to the eigenvectors. Each row is made orthogonal to all rows
// before it.

// Additional rows of the block, for faster convergence.
constexpr size_t kSpareRows = 4;
constexpr size_t kSteps = 12;  // Products of the block before a restart.
constexpr int kMostRounds = 100;
// Maximum of the residual |A v - value v|, relative to the largest eigenvalue.
constexpr double kTolerance = 1e-9;
// Rows of A that one thread multiplies at a time.
constexpr size_t kTileRows = 256;

double Dot(const double* x, const double* y, size_t size) {
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += x[i] * y[i];
  return sum;
}

// Computes to += factor * from.
void AddTimes(double factor, const double* from, size_t size, double* to) {
  for (size_t i = 0; i < size; ++i) to[i] += factor * from[i];
}

class KrylovSpace {
 public:
  KrylovSpace(const std::vector<double>& a, size_t dim) : a_(a), dim_(dim) {}

  // Replaces the space by that of a block, [any, dim]. Errors: Cancelled.
  absl::Status Build(absl::Span<const double> block,
                     const std::atomic<bool>* stop) {
    basis_.clear();
    images_.clear();
    size_t multiplied = 0;
    Append(block);
    for (size_t step = 0; step < kSteps && multiplied < rows(); ++step) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
        return absl::CancelledError("interrupted");
      }
      const std::vector<double> products = TimesA(multiplied);
      multiplied = rows();
      images_.insert(images_.end(), products.begin(), products.end());
      if (step + 1 < kSteps) Append(products);
    }
    return absl::OkStatus();
  }

  // Returns the `count` best approximations, and in *images their vectors times
  // A.
  absl::StatusOr<SymmetricEigen> Approximate(
      size_t count, std::vector<double>* images) const {
    const size_t size = rows();
    std::vector<double> small(size * size);
    Gemm(Transpose::kNo, Transpose::kYes, size, size, dim_, 1.0, basis_.data(),
         dim_, images_.data(), dim_, 0.0, small.data(), size);
    FIRTH_ASSIGN_OR_RETURN(SymmetricEigen eigen,
                           DecomposeSymmetric(std::move(small), size));
    count = std::min(count, size);
    const auto combine = [&](const std::vector<double>& from) {
      std::vector<double> to(count * dim_);
      Gemm(Transpose::kNo, Transpose::kNo, count, dim_, size, 1.0,
           eigen.vectors.data(), size, from.data(), dim_, 0.0, to.data(), dim_);
      return to;
    };
    *images = combine(images_);
    eigen.vectors = combine(basis_);
    eigen.values.resize(count);
    return eigen;
  }

 private:
  size_t rows() const { return basis_.size() / dim_; }

  // Adds the rows after making them orthogonal to all others. Drops rows that
  // depend linearly on the others.
  void Append(absl::Span<const double> block) {
    constexpr double kDependent = 1e-10;
    for (size_t begin = 0; begin < block.size(); begin += dim_) {
      std::vector<double> row(block.begin() + begin,
                              block.begin() + begin + dim_);
      const double before = std::sqrt(Dot(row.data(), row.data(), dim_));
      for (int time = 0; time < 2; ++time) {
        for (size_t i = 0; i < rows(); ++i) {
          const double* const other = basis_.data() + i * dim_;
          AddTimes(-Dot(row.data(), other, dim_), other, dim_, row.data());
        }
      }
      const double norm = std::sqrt(Dot(row.data(), row.data(), dim_));
      if (norm <= kDependent * before) continue;
      for (double& value : row) value /= norm;
      basis_.insert(basis_.end(), row.begin(), row.end());
    }
  }

  // Returns the rows of the basis from `first` on, times A, which is symmetric.
  std::vector<double> TimesA(size_t first) const {
    const size_t count = rows() - first;
    std::vector<double> products(count * dim_);
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic)
    for (size_t begin = 0; begin < dim_; begin += kTileRows) {
      exceptions.Catch([&] {
        Gemm(Transpose::kNo, Transpose::kYes, count,
             std::min(kTileRows, dim_ - begin), dim_, 1.0,
             basis_.data() + first * dim_, dim_, a_.data() + begin * dim_, dim_,
             0.0, products.data() + begin, dim_);
      });
    }
    exceptions.Rethrow();
    return products;
  }

  const std::vector<double>& a_;
  const size_t dim_;
  std::vector<double> basis_;   // [any, dim], orthonormal.
  std::vector<double> images_;  // The basis times A.
};

// Returns the maximum |A v - value v| of the first `count` eigenvectors.
double GreatestResidual(const SymmetricEigen& eigen,
                        const std::vector<double>& images, size_t dim,
                        size_t count) {
  double greatest = 0;
  for (size_t k = 0; k < count; ++k) {
    std::vector<double> residual(images.begin() + k * dim,
                                 images.begin() + (k + 1) * dim);
    AddTimes(-eigen.values[k], eigen.vectors.data() + k * dim, dim,
             residual.data());
    greatest = std::max(greatest,
                        std::sqrt(Dot(residual.data(), residual.data(), dim)));
  }
  return greatest;
}

// The size of the workspace, 4 n^2 + 7 n, is an int.
constexpr size_t kMostDim = 23'000;

}  // namespace

absl::Status CheckSymmetricDim(size_t dim) {
  if (dim <= kMostSymmetricDim) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot decompose a matrix of ", dim,
                   " dimensions; the maximum is ", kMostSymmetricDim));
}

absl::Status CheckSymmetric(const std::vector<double>& a, size_t dim) {
  FIRTH_CHECK(dim > 0 && a.size() == dim * dim);
  FIRTH_RETURN_IF_ERROR(CheckSymmetricDim(dim));
  if (!absl::c_all_of(a, [](double value) { return std::isfinite(value); })) {
    return absl::InvalidArgumentError(
        "the products of the vectors are not finite; the values are too large");
  }
  return absl::OkStatus();
}

// The sign of an eigenvector is arbitrary, and libraries differ in it.
void OrientEigenvector(absl::Span<double> vector) {
  const double greatest = *absl::c_max_element(
      vector, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (greatest >= 0) return;
  absl::c_transform(vector, vector.begin(), std::negate<>());
}

absl::StatusOr<SymmetricEigen> DecomposeSymmetric(std::vector<double> a,
                                                  size_t dim) {
  FIRTH_RETURN_IF_ERROR(CheckSymmetric(a, dim));
  SymmetricEigen eigen;
  FIRTH_ASSIGN_OR_RETURN(eigen.values, Decompose(&a, dim));
  absl::c_reverse(eigen.values);
  eigen.vectors.reserve(a.size());
  for (size_t k = dim; k-- > 0;) {
    double* const vector = a.data() + k * dim;
    OrientEigenvector(absl::MakeSpan(vector, dim));
    eigen.vectors.insert(eigen.vectors.end(), vector, vector + dim);
  }
  return eigen;
}

absl::StatusOr<SymmetricEigen> LargestEigen(const std::vector<double>& a,
                                            size_t dim, size_t count,
                                            const std::atomic<bool>* stop) {
  FIRTH_CHECK(count > 0 && 64 * count <= dim);
  FIRTH_RETURN_IF_ERROR(CheckSymmetric(a, dim));
  std::vector<double> block((count + kSpareRows) * dim);
  Rng rng(1);
  for (double& value : block) value = rng.NextFloat() - 0.5;
  KrylovSpace space(a, dim);
  SymmetricEigen eigen;
  // After the last round, the eigenvalues hardly differ, so any directions of
  // their space are equally good.
  for (int round = 0; round < kMostRounds; ++round) {
    FIRTH_RETURN_IF_ERROR(space.Build(block, stop));
    std::vector<double> images;
    FIRTH_ASSIGN_OR_RETURN(eigen,
                           space.Approximate(count + kSpareRows, &images));
    if (GreatestResidual(eigen, images, dim, count) <=
        kTolerance * eigen.values[0]) {
      break;
    }
    block = eigen.vectors;
  }
  eigen.values.resize(count);
  eigen.vectors.resize(count * dim);
  for (size_t k = 0; k < count; ++k) {
    OrientEigenvector(absl::MakeSpan(eigen.vectors).subspan(k * dim, dim));
  }
  return eigen;
}

absl::StatusOr<std::vector<double>> NearestOrthogonal(std::vector<double> a,
                                                      size_t dim) {
  FIRTH_CHECK(dim > 0 && a.size() == dim * dim);
  if (dim > kMostDim) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot decompose a matrix of ", dim,
                     " dimensions; the maximum is ", kMostDim));
  }
  const int n = static_cast<int>(dim);
  std::vector<double> u(a.size()), v(a.size());
  {
    const int work_size = 4 * n * n + 7 * n;
    std::vector<double> singular_values(dim);
    std::vector<double> work(static_cast<size_t>(work_size));
    std::vector<int> int_work(8 * dim);
    int info = 0;
    // LAPACK stores matrices by columns, so it sees a^T = V S U^T.
    BlasCall()->dgesdd("A", &n, &n, a.data(), &n, singular_values.data(),
                       v.data(), &n, u.data(), &n, work.data(), &work_size,
                       int_work.data(), &info, 1);
    if (info != 0) {
      return absl::InternalError(
          "the singular value decomposition did not converge");
    }
  }
  // Read by rows, v is V^T and u is U.
  Gemm(Transpose::kNo, Transpose::kNo, dim, dim, dim, 1.0, u.data(), dim,
       v.data(), dim, 0.0, a.data(), dim);
  return a;
}

}  // namespace firth
