// RowStore: the vectors of words in one of the forms that a model can store.

#ifndef FIRTH_ROW_STORE_H_
#define FIRTH_ROW_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

class ProductQuantizer;

// Each value in 16 bits, as IEEE 754 binary16, with 11 bits of precision.
struct Float16Rows {
  static constexpr absl::string_view kName = "float16";
  Table<uint16_t> values;  // [rows, dim]
};

// Each value in one byte: value i of row r is codes(r, i) * scales(r, 0).
struct Int8Rows {
  static constexpr absl::string_view kName = "int8";
  Table<int8_t> codes;  // [rows, dim], from -127 to 127.
  FloatTable scales;    // [rows, 1], stride 1, not negative.
};

// Each part of a row in one byte: see vectors/product_quantizer.h.
struct PqRows {
  static constexpr absl::string_view kName = "pq";
  std::shared_ptr<const ProductQuantizer> quantizer;
  Table<uint8_t> codes;  // [rows, parts], without gaps between rows.
  // [rows, 1], stride 1. A row is its decoded value times its norm. If empty,
  // all norms are 1.
  FloatTable norms;
};

using RowStore = std::variant<FloatTable, Float16Rows, Int8Rows, PqRows>;

size_t NumRows(const RowStore& rows);
size_t RowDim(const RowStore& rows);

constexpr absl::string_view kFloatForm = "float32";
// Returns kFloatForm, "float16", "int8" or "pq".
std::string FormOf(const RowStore& rows);

// Writes row `row` as floats to `to` [dim].
void CopyRow(const RowStore& rows, size_t row, absl::Span<float> to);

// Returns all rows as floats, converted on all cores; a table of floats is
// returned as it is. Errors: ResourceExhausted.
absl::StatusOr<FloatTable> ToFloatTable(const RowStore& rows);

}  // namespace firth

#endif  // FIRTH_ROW_STORE_H_
