#include "simd/symmetric_eigen.h"

#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "firth/status_macros.h"
#include "simd/blas.h"

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

}  // namespace firth
