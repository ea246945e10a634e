// The forms of rows differ in three functions, which are overloaded for each:
// the number of rows, the number of dimensions, and the conversion of a row to
// floats. Everything else is built on these. Rows of a product quantizer are
// decoded in rotated form, and whole blocks are rotated back with one product.

#include "firth/row_store.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/matrix.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "simd/gemm.h"
#include "simd/widen.h"
#include "vectors/allocate_table.h"
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

}  // namespace firth
