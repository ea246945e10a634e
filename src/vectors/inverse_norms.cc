#include "vectors/inverse_norms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/parallel_exceptions.h"
#include "simd/squared_norms.h"
#include "simd/sum_lookups.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// Below this many floats, starting threads takes longer than the work.
constexpr size_t kParallelFloats = 100'000;

float InverseRoot(double squared_norm) {
  const double norm = std::sqrt(squared_norm);
  const bool normal = norm >= std::numeric_limits<float>::min() &&
                      norm <= std::numeric_limits<float>::max();
  return normal ? static_cast<float>(1 / norm) : 0;
}

// Computes the squared norms of rows of any form, one block at a time.
class BlockNorms {
 public:
  explicit BlockNorms(const RowStore& rows) : block_(rows, kBlockRows) {
    dim_ = RowDim(rows);
  }
  void Squared(size_t begin, size_t count, double* squared_norms) {
    const float* const values = block_.Read(begin, count);
    SquaredNorms(values, count, block_.stride(), dim_, squared_norms);
  }

 private:
  RowBlock block_;
  size_t dim_;
};

// Uses that the parts of a row are orthogonal, so that its squared norm is the
// sum of those of the centroids.
class PqNorms {
 public:
  explicit PqNorms(const PqRows& rows)
      : rows_(rows), squares_(rows.quantizer->codebooks().rows()) {
    const FloatTable& codebooks = rows.quantizer->codebooks();
    for (size_t row = 0; row < squares_.size(); ++row) {
      double square;
      SquaredNorms(codebooks.Row(row).data(), 1, codebooks.stride(),
                   codebooks.cols(), &square);
      squares_[row] = static_cast<float>(square);
    }
  }
  void Squared(size_t begin, size_t count, double* squared_norms) {
    const ProductQuantizer& quantizer = *rows_.quantizer;
    float sums[kBlockRows];
    SumLookups(squares_.data(), quantizer.centroids(),
               rows_.codes.Row(begin).data(), count, quantizer.parts(), sums);
    for (size_t i = 0; i < count; ++i) {
      const double norm =
          rows_.norms.empty() ? 1 : rows_.norms.data()[begin + i];
      squared_norms[i] = sums[i] * norm * norm;
    }
  }

 private:
  const PqRows& rows_;
  std::vector<float> squares_;  // Of each centroid of each part.
};

// make() returns one object per thread that computes the squared norms of
// blocks.
template <class MakeNorms>
std::vector<float> InverseNormsBy(size_t num_rows, size_t dim,
                                  const MakeNorms& make) {
  std::vector<float> inverse_norms(num_rows);
  ParallelExceptions exceptions;
#pragma omp parallel if (num_rows * dim > kParallelFloats)
  {
    std::optional<decltype(make())> norms;
    exceptions.Catch([&] { norms.emplace(make()); });
#pragma omp for schedule(static)
    for (size_t begin = 0; begin < num_rows; begin += kBlockRows) {
      if (!norms.has_value()) continue;
      const size_t count = std::min(kBlockRows, num_rows - begin);
      double squared_norms[kBlockRows];
      norms->Squared(begin, count, squared_norms);
      std::transform(squared_norms, squared_norms + count,
                     inverse_norms.begin() + static_cast<ptrdiff_t>(begin),
                     InverseRoot);
    }
  }
  exceptions.Rethrow();
  return inverse_norms;
}

}  // namespace

float InverseNorm(absl::Span<const float> row) {
  double squared_norm;
  SquaredNorms(row.data(), 1, row.size(), row.size(), &squared_norm);
  return InverseRoot(squared_norm);
}

std::vector<float> InverseNorms(const RowStore& rows) {
  const size_t num_rows = NumRows(rows);
  const size_t dim = RowDim(rows);
  if (const auto* pq = std::get_if<PqRows>(&rows)) {
    return InverseNormsBy(num_rows, dim, [&] { return PqNorms(*pq); });
  }
  return InverseNormsBy(num_rows, dim, [&] { return BlockNorms(rows); });
}

}  // namespace firth
