#include "firth/quantize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "base/status_macros.h"
#include "vectors/inverse_norms.h"
#include "vectors/product_quantizer.h"
#include "vectors/table_builder.h"

namespace firth {
namespace {

constexpr float kMostCode = 127;

template <class Value>
std::shared_ptr<std::vector<Value>> Values(size_t count) {
  return std::make_shared<std::vector<Value>>(count);
}

float GreatestMagnitude(absl::Span<const float> row) {
  float greatest = 0;
  for (const float value : row) {
    greatest = std::max(greatest, std::abs(value));
  }
  return greatest;
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table,
                                       const ToFloat16&) {
  for (size_t row = 0; row < table.rows(); ++row) {
    const float greatest = GreatestMagnitude(table.Row(row));
    if (greatest <= kMostFloat16) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("row ", row, ": expected magnitudes of at most ",
                     kMostFloat16, ", which 16 bits can hold, found ", greatest,
                     " (--normalize makes all vectors 1 long)"));
  }
  const auto values = Values<uint16_t>(table.rows() * table.cols());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    std::transform(from.begin(), from.end(),
                   values->data() + row * table.cols(), ToFloat16Bits);
  }
  return Float16Rows{TableOf<uint16_t>(values->data(), table.rows(),
                                       table.cols(), table.cols(), values)};
}

absl::StatusOr<RowStore> QuantizeTable(const FloatTable& table, const ToInt8&) {
  const auto codes = Values<int8_t>(table.rows() * table.cols());
  const auto scales = Values<float>(table.rows());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    const float scale = GreatestMagnitude(from) / kMostCode;
    (*scales)[row] = scale;
    for (size_t i = 0; i < from.size() && scale > 0; ++i) {
      const float code = std::nearbyint(from[i] / scale);
      (*codes)[row * table.cols() + i] =
          static_cast<int8_t>(std::clamp(code, -kMostCode, kMostCode));
    }
  }
  return Int8Rows{TableOf<int8_t>(codes->data(), table.rows(), table.cols(),
                                  table.cols(), codes),
                  FloatTable(scales->data(), table.rows(), 1, 1, scales)};
}

// The lengths of the rows, and the rows made 1 long; zeros stay.
struct UnitRows {
  std::shared_ptr<std::vector<float>> norms;
  FloatTable rows;
};

absl::StatusOr<UnitRows> SplitNorms(const FloatTable& table) {
  FIRTH_ASSIGN_OR_RETURN(
      TableBuilder units,
      TableBuilder::Create("unit vectors", table.rows(), table.cols()));
  UnitRows split;
  split.norms = Values<float>(table.rows());
  for (size_t row = 0; row < table.rows(); ++row) {
    const absl::Span<const float> from = table.Row(row);
    const float inverse_norm = InverseNorm(from);
    // Without a norm: of length 0, or as good as.
    (*split.norms)[row] = inverse_norm == 0 ? 0 : 1 / inverse_norm;
    std::transform(
        from.begin(), from.end(), units.Row(row),
        [inverse_norm](float value) { return value * inverse_norm; });
  }
  split.rows = std::move(units).Build();
  return split;
}

// The least divisor of dim that leaves parts of at most four values.
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
    rows.norms =
        FloatTable(split.norms->data(), table.rows(), 1, 1, split.norms);
  }
  const size_t parts =
      options.parts == 0 ? UsualParts(table.cols()) : options.parts;
  FIRTH_ASSIGN_OR_RETURN(
      ProductQuantizer quantizer,
      ProductQuantizer::Train(from, {.parts = parts,
                                     .rotation = options.rotation,
                                     .seed = options.seed}));
  const auto codes = Values<uint8_t>(table.rows() * parts);
  quantizer.Encode(from, codes->data());
  rows.codes =
      TableOf<uint8_t>(codes->data(), table.rows(), parts, parts, codes);
  rows.quantizer =
      std::make_shared<const ProductQuantizer>(std::move(quantizer));
  return rows;
}

// Only rows without a norm can hold what is not finite.
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
