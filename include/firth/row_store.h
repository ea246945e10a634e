// RowStore: the vectors of words in one of the forms that a model can hold.

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

// Each value in 16 bits, as IEEE 754 binary16: 11 bits of precision.
struct Float16Rows {
  static constexpr absl::string_view kName = "float16";
  Table<uint16_t> values;  // [rows, dim]
};

// Each value in a byte: value i of row r is codes(r, i) * scales(r, 0).
struct Int8Rows {
  static constexpr absl::string_view kName = "int8";
  Table<int8_t> codes;  // [rows, dim], from -127 to 127
  FloatTable scales;    // [rows, 1], stride 1, 0 or more
};

// Each part of a row in a byte: see vectors/product_quantizer.h.
struct PqRows {
  static constexpr absl::string_view kName = "pq";
  std::shared_ptr<const ProductQuantizer> quantizer;
  Table<uint8_t> codes;  // [rows, parts], no space between rows
  FloatTable norms;      // [rows, 1], stride 1: a row is what its codes say
                         // times its norm; or empty: all norms are 1
};

using RowStore = std::variant<FloatTable, Float16Rows, Int8Rows, PqRows>;

size_t NumRows(const RowStore& rows);
size_t RowDim(const RowStore& rows);

constexpr absl::string_view kFloatForm = "float32";
// kFloatForm, "float16", "int8" or "pq".
std::string FormOf(const RowStore& rows);

// Writes row `row` as floats to `to` [dim].
void CopyRow(const RowStore& rows, size_t row, absl::Span<float> to);

// All rows as floats: the same table where they are. On all cores. Errors:
// ResourceExhausted.
absl::StatusOr<FloatTable> ToFloatTable(const RowStore& rows);

}  // namespace firth

#endif  // FIRTH_ROW_STORE_H_
