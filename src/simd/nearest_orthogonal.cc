#include "simd/nearest_orthogonal.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "simd/blas.h"
#include "simd/gemm.h"

namespace firth {
namespace {

// The size of the workspace, 4 n^2 + 7 n, is an int.
constexpr size_t kMostDim = 23'000;

}  // namespace

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
