// Converts rows of floats to rows of fewer bytes, with one QuantizeTable() per
// form. float16 rounds every value. int8 gives each row a scale, so that the
// value of the largest magnitude becomes 127 or -127. pq trains a product
// quantizer from the rows. Optionally, these are normalized first and their
// norms are stored next to the codes, because centroids represent directions
// better than vectors of all lengths.

#include "firth/quantize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "base/matrix.h"
#include "base/memory_info.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

constexpr float kMostCode = 127;

float GreatestMagnitude(absl::Span<const float> row) {
  float greatest = 0;
  for (const float value : row) {
    greatest = std::max(greatest, std::abs(value));
  }
  return greatest;
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table,
                                       const ToFloat32&) {
  return RowStore(table);
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table,
                                       const ToFloat16&) {
  for (size_t row = 0; row < table.rows(); ++row) {
    const float greatest = GreatestMagnitude(table.Row(row));
    if (greatest <= kMostFloat16) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "row ", row, ": the value ", greatest,
        " does not fit into 16 bits, whose maximum is ", kMostFloat16,
        "; --normalize scales all vectors to length 1"));
  }
  Matrix<uint16_t> values(table.rows(), table.cols());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    std::transform(from.begin(), from.end(), values.Row(row), ToFloat16Bits);
  }
  return Float16Rows{std::move(values)};
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table, const ToInt8&) {
  Matrix<int8_t> codes(table.rows(), table.cols());
  Matrix<float> scales(table.rows(), 1);
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    const float scale = GreatestMagnitude(from) / kMostCode;
    scales.data()[row] = scale;
    for (size_t i = 0; i < from.size() && scale > 0; ++i) {
      const float code = std::nearbyint(from[i] / scale);
      codes.Row(row)[i] =
          static_cast<int8_t>(std::clamp(code, -kMostCode, kMostCode));
    }
  }
  return Int8Rows{std::move(codes), std::move(scales)};
}

// The norms of the rows, and the normalized rows; zeros stay.
struct UnitRows {
  Matrix<float> norms;  // [rows, 1]
  FloatTable rows;
};

absl::StatusOr<UnitRows> SplitNorms(const FloatTable& table) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix units,
      AllocateTable("unit vectors", table.rows(), table.cols()));
  Matrix<float> norms(table.rows(), 1);
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    const float inverse_norm = InverseNorm(from);
    // Rows without a norm have length 0, or nearly so.
    norms.data()[row] = inverse_norm == 0 ? 0 : 1 / inverse_norm;
    std::transform(
        from.begin(), from.end(), units.Row(row),
        [inverse_norm](float value) { return value * inverse_norm; });
  }
  return UnitRows{std::move(norms), std::move(units)};
}

// Returns the smallest divisor of `dim` for which parts have at most four
// values.
size_t UsualParts(size_t dim) {
  size_t parts = (dim + 3) / 4;
  while (dim % parts != 0) ++parts;
  return parts;
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table,
                                       const ToPq& options) {
  PqRows rows;
  FloatTable from = table;
  if (options.norms) {
    FIRTH_ASSIGN_OR_RETURN(UnitRows split, SplitNorms(table));
    from = std::move(split.rows);
    rows.norms = std::move(split.norms);
  }
  const size_t parts =
      options.parts == 0 ? UsualParts(table.cols()) : options.parts;
  FIRTH_ASSIGN_OR_RETURN(
      ProductQuantizer quantizer,
      ProductQuantizer::Train(from, {.parts = parts,
                                     .rotation = options.rotation,
                                     .seed = options.seed}));
  Matrix<uint8_t> codes(table.rows(), parts);
  quantizer.Encode(from, codes.data());
  rows.codes = std::move(codes);
  rows.quantizer =
      std::make_shared<const ProductQuantizer>(std::move(quantizer));
  return rows;
}

// Checks only the rows without a norm; the others cannot contain infinities or
// NaNs.
absl::Status CheckFinite(const FloatTable& table,
                         absl::Span<const float> inverse_norms) {
  for (size_t row = 0; row < table.rows(); ++row) {
    if (inverse_norms[row] != 0) continue;
    for (const float value : table.Row(row)) {
      if (std::isfinite(value)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "row ", row, ": expected finite numbers, found ", value));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<WordVectors> WithRows(const WordVectors& vectors,
                                     RowStore rows) {
  std::optional<SubwordTables> subwords;
  if (vectors.subwords() != nullptr) subwords = *vectors.subwords();
  return WordVectors::Create(vectors.vocabulary(), std::move(rows),
                             std::move(subwords));
}

}  // namespace

FieldTable ToPq::Fields() {
  FieldsOf<ToPq> fields;
  fields.Add("pq-parts", &ToPq::parts,
             "number of bytes per word for product quantization; the number of "
             "dimensions must be a multiple of it. 0 means about a quarter of "
             "the dimensions",
             Field().Range(0, 65535));
  fields.Add(
      "pq-rotation", &ToPq::rotation,
      "rotate the vectors first to lose less precision (Ge et al. 2013); this "
      "takes longer, and is skipped if there are fewer words than dimensions");
  fields.Add("pq-norms", &ToPq::norms,
             "store the length of each vector separately, 4 bytes per word");
  fields.Add("seed", &ToPq::seed, "set the random seed for the clustering");
  return fields;
}

absl::StatusOr<WordVectors> Quantize(const WordVectors& vectors,
                                     const QuantizeOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const FloatTable table, ToFloatTable(vectors.rows()));
  FIRTH_RETURN_IF_ERROR(CheckFinite(table, vectors.inverse_norms()));
  FIRTH_ASSIGN_OR_RETURN(
      RowStore rows,
      std::visit(
          [&](const auto& chosen) { return QuantizeTable(table, chosen); },
          options));
  return WithRows(vectors, std::move(rows));
}

absl::StatusOr<WordVectors> Dequantize(const WordVectors& vectors) {
  if (vectors.is_float()) return vectors;
  FIRTH_ASSIGN_OR_RETURN(FloatTable table, ToFloatTable(vectors.rows()));
  return WithRows(vectors, std::move(table));
}

}  // namespace firth
