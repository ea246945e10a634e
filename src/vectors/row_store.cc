// The forms of rows differ in three functions, which are overloaded for each:
// the number of rows, the number of dimensions, and the conversion of a row to
// floats. Everything else is built on these. Rows of a product quantizer are
// decoded in rotated form, and whole blocks are rotated back with one product.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "firth/row_store.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/stored_rows.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

size_t NumRowsOf(const FloatTable& table) { return table.rows(); }
size_t NumRowsOf(const Float16Rows& rows) { return rows.values.rows(); }
size_t NumRowsOf(const Int8Rows& rows) { return rows.codes.rows(); }
size_t NumRowsOf(const PqRows& rows) { return rows.codes.rows(); }

size_t DimOf(const FloatTable& table) { return table.cols(); }
size_t DimOf(const Float16Rows& rows) { return rows.values.cols(); }
size_t DimOf(const Int8Rows& rows) { return rows.codes.cols(); }
size_t DimOf(const PqRows& rows) { return rows.quantizer->dim(); }

// Decodes one row to `to` [dim]; rows of a product quantizer are still rotated.
void Decode(const FloatTable& table, size_t row, float* to) {
  const absl::Span<const float> from = table.Row(row);
  std::copy(from.begin(), from.end(), to);
}
void Decode(const Float16Rows& rows, size_t row, float* to) {
  WidenFloat16(rows.values.Row(row).data(), rows.values.cols(), to);
}
void Decode(const Int8Rows& rows, size_t row, float* to) {
  WidenInt8(rows.codes.Row(row).data(), rows.scales.data()[row],
            rows.codes.cols(), to);
}
void Decode(const PqRows& rows, size_t row, float* to) {
  const absl::Span<float> vector(to, rows.quantizer->dim());
  rows.quantizer->DecodeRotated(rows.codes.Row(row).data(), vector);
  if (rows.norms.empty()) return;
  const float norm = rows.norms.data()[row];
  for (float& value : vector) value *= norm;
}

// Returns the rotation of a product quantizer's rows, or null if there is none.
const FloatTable* RotationOf(const RowStore& rows) {
  const auto* pq = std::get_if<PqRows>(&rows);
  if (pq == nullptr || pq->quantizer->rotation().empty()) return nullptr;
  return &pq->quantizer->rotation();
}

// Rotates `count` rows of a block back and writes them to `to`.
void RotateBack(const FloatTable& rotation, const float* block,
                size_t block_stride, size_t count, float* to, size_t stride) {
  Gemm(Transpose::kNo, Transpose::kNo, count, rotation.cols(), rotation.rows(),
       1, block, block_stride, rotation.data(), rotation.stride(), 0, to,
       stride);
}

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

size_t NumRows(const RowStore& rows) {
  return std::visit([](const auto& chosen) { return NumRowsOf(chosen); }, rows);
}

size_t RowDim(const RowStore& rows) {
  return std::visit([](const auto& chosen) { return DimOf(chosen); }, rows);
}

std::string FormOf(const RowStore& rows) {
  return std::visit(
      [](const auto& chosen) -> std::string {
        if constexpr (requires { chosen.kName; }) {
          return std::string(chosen.kName);
        }
        return "float32";
      },
      rows);
}

void CopyRow(const RowStore& rows, size_t row, absl::Span<float> to) {
  std::visit([&](const auto& chosen) { Decode(chosen, row, to.data()); }, rows);
  const FloatTable* const rotation = RotationOf(rows);
  if (rotation == nullptr) return;
  const std::vector<float> rotated(to.begin(), to.end());
  RotateBack(*rotation, rotated.data(), rotated.size(), 1, to.data(),
             to.size());
}

absl::StatusOr<FloatTable> ToFloatTable(const RowStore& rows) {
  if (const auto* table = std::get_if<FloatTable>(&rows)) return *table;
  const size_t num_rows = NumRows(rows);
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix floats,
      AllocateTable("vectors as floats", num_rows, RowDim(rows)));
  const FloatTable* const rotation = RotationOf(rows);
  ParallelExceptions exceptions;
#pragma omp parallel
  {
    std::optional<RowBlock> block;
    exceptions.Catch([&] { block.emplace(rows, kBlockRows); });
#pragma omp for schedule(static)
    for (size_t begin = 0; begin < num_rows; begin += kBlockRows) {
      if (!block.has_value()) continue;
      const size_t count = std::min(kBlockRows, num_rows - begin);
      const float* const from = block->Read(begin, count);
      if (rotation != nullptr) {
        RotateBack(*rotation, from, block->stride(), count, floats.Row(begin),
                   floats.stride());
      } else {
        std::copy_n(from, count * floats.stride(), floats.Row(begin));
      }
    }
  }
  exceptions.Rethrow();
  return floats;
}

std::vector<float> RotateFor(const RowStore& rows,
                             absl::Span<const float> vector) {
  const auto* pq = std::get_if<PqRows>(&rows);
  if (pq != nullptr) return pq->quantizer->Rotate(vector);
  return {vector.begin(), vector.end()};
}

RowBlock::RowBlock(const RowStore& rows, size_t most_rows) : rows_(rows) {
  if (const auto* table = std::get_if<FloatTable>(&rows)) {
    stride_ = table->stride();
    return;
  }
  decoded_ = PaddedMatrix(most_rows, RowDim(rows));
  stride_ = decoded_.stride();
}

const float* RowBlock::Read(size_t begin, size_t count) {
  if (const auto* table = std::get_if<FloatTable>(&rows_)) {
    return table->data() + begin * table->stride();
  }
  std::visit(
      [&](const auto& chosen) {
        for (size_t i = 0; i < count; ++i) {
          Decode(chosen, begin + i, decoded_.Row(i));
        }
      },
      rows_);
  return decoded_.data();
}

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

void AverageRows(const FloatTable& table, absl::Span<const uint32_t> rows,
                 size_t count, absl::Span<float> mean) {
  for (const uint32_t row : rows) {
    const absl::Span<const float> values = table.Row(row);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += values[i];
  }
  for (float& value : mean) value /= static_cast<float>(count);
}

}  // namespace firth
