#include "vectors/inverse_norms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "simd/squared_norms.h"

namespace firth {
namespace {

constexpr size_t kBlockRows = 128;

// Below this many floats, starting threads takes longer than the work.
constexpr size_t kParallelFloats = 100'000;

float InverseRoot(double squared_norm) {
  const double norm = std::sqrt(squared_norm);
  const bool normal = norm >= std::numeric_limits<float>::min() &&
                      norm <= std::numeric_limits<float>::max();
  return normal ? static_cast<float>(1 / norm) : 0;
}

}  // namespace

float InverseNorm(absl::Span<const float> row) {
  double squared_norm;
  SquaredNorms(row.data(), 1, row.size(), row.size(), &squared_norm);
  return InverseRoot(squared_norm);
}

std::vector<float> InverseNorms(const FloatTable& table) {
  std::vector<float> inverse_norms(table.rows());
#pragma omp parallel for schedule(static) if (table.rows() * table.cols() > \
                                              kParallelFloats)
  for (size_t begin = 0; begin < table.rows(); begin += kBlockRows) {
    const size_t count = std::min(kBlockRows, table.rows() - begin);
    double squared_norms[kBlockRows];
    SquaredNorms(table.data() + begin * table.stride(), count, table.stride(),
                 table.cols(), squared_norms);
    std::transform(squared_norms, squared_norms + count,
                   inverse_norms.begin() + static_cast<ptrdiff_t>(begin),
                   InverseRoot);
  }
  return inverse_norms;
}

}  // namespace firth
