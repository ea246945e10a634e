#include "query/row_scan.h"

#include <variant>

#include "query/unit_rows.h"
#include "simd/dot.h"
#include "simd/sum_lookups.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

// Returns the dot product of each part of the unit vector with each centroid of
// that part: [parts, centroids].
std::vector<float> LookupTables(const ProductQuantizer& quantizer,
                                absl::Span<const float> unit) {
  const FloatTable& codebooks = quantizer.codebooks();
  const size_t centroids = quantizer.centroids();
  std::vector<float> tables(codebooks.rows());
  for (size_t part = 0; part < quantizer.parts(); ++part) {
    DotRows(unit.data() + part * codebooks.cols(),
            codebooks.Row(part * centroids).data(), centroids,
            codebooks.stride(), codebooks.cols(),
            tables.data() + part * centroids);
  }
  return tables;
}

// Computes the dot products of the rows [begin, begin + count) with the query.
void Dots(const FloatTable& table, const std::vector<float>& query,
          size_t begin, size_t count, float* dots) {
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
}

void Dots(const Float16Rows& rows, const std::vector<float>& query,
          size_t begin, size_t count, float* dots) {
  const Table<uint16_t>& table = rows.values;
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
}

void Dots(const Int8Rows& rows, const std::vector<float>& query, size_t begin,
          size_t count, float* dots) {
  const Table<int8_t>& table = rows.codes;
  DotRows(query.data(), table.data() + begin * table.stride(), count,
          table.stride(), table.cols(), dots);
  const float* const scales = rows.scales.data() + begin;
  for (size_t i = 0; i < count; ++i) dots[i] *= scales[i];
}

void Dots(const PqRows& rows, const std::vector<float>& tables, size_t begin,
          size_t count, float* dots) {
  SumLookups(tables.data(), rows.quantizer->centroids(),
             rows.codes.data() + begin * rows.codes.stride(), count,
             rows.codes.cols(), dots);
  if (rows.norms.empty()) return;
  const float* const norms = rows.norms.data() + begin;
  for (size_t i = 0; i < count; ++i) dots[i] *= norms[i];
}

}  // namespace

std::vector<float> UnitQueryVector(const RowStore& rows,
                                   absl::Span<const float> vector) {
  return RotateFor(rows, UnitVector(vector));
}

RowScan::RowScan(const RowStore& rows, absl::Span<const float> inverse_norms,
                 absl::Span<const float> unit)
    : rows_(rows), inverse_norms_(inverse_norms) {
  const auto* pq = std::get_if<PqRows>(&rows);
  query_ = pq != nullptr ? LookupTables(*pq->quantizer, unit)
                         : std::vector<float>(unit.begin(), unit.end());
}

void RowScan::Cosines(size_t begin, size_t count, float* cosines) const {
  std::visit(
      [&](const auto& rows) { Dots(rows, query_, begin, count, cosines); },
      rows_);
  ScaleToCosines(inverse_norms_.data() + begin, count, cosines);
}

}  // namespace firth
