// What every reader ends with and every writer begins with: rows of finite
// floats with a word each.

#ifndef FIRTH_IO_CODECS_VECTOR_ROWS_H_
#define FIRTH_IO_CODECS_VECTOR_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/saturated.h"
#include "firth/matrix.h"
#include "firth/progress.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "firth/word_vectors.h"
#include "io/codecs/byte_reader.h"
#include "vectors/allocate_table.h"

namespace firth {

// The tensors of a file begin at multiples of it, so that they may be mapped.
inline constexpr size_t kTensorAlignment = 64;

// An error with `code` if `rows` rows of `cols` values, each value taking at
// least `value_bytes` and each row `row_bytes` more, do not fit in `available`
// bytes of the file. To be asked before memory is taken for them.
absl::Status CheckPromisedSize(absl::StatusCode code, absl::string_view place,
                               uint64_t rows, uint64_t cols,
                               uint64_t value_bytes, uint64_t row_bytes,
                               uint64_t available);

// The [rows, cols] floats at `offset` of the file, which must lie inside it: in
// place where they are aligned as floats must be, else copied.
absl::StatusOr<FloatTable> TableInFile(const MappedFilePtr& file,
                                       uint64_t offset, size_t rows,
                                       size_t cols);

// The same of what the reader stands at, called `what`, which is passed.
absl::StatusOr<FloatTable> ReadFloats(const MappedFilePtr& file, uint64_t rows,
                                      uint64_t cols, absl::string_view what,
                                      ByteReader& reader);

// Whether work on so many values is worth waking other threads for.
bool IsWorthThreads(uint64_t values);

// The memory of `values`, to be written.
template <class Value>
absl::string_view BytesOf(absl::Span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(Value)};
}

// Writes all rows, without padding.
template <class Value>
absl::Status WriteTable(const Table<Value>& table, OutputFile& out) {
  for (size_t row = 0; row < table.rows(); ++row) {
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(table.Row(row))));
  }
  return absl::OkStatus();
}

// Writes one row a bucket, zeros where it has none. The index is of buckets.
absl::Status WriteBucketRows(const SubwordTables& subwords, uint64_t buckets,
                             OutputFile& out);

// The first value that is NaN or infinite, by rows.
struct TablePosition {
  size_t row = 0;
  size_t col = 0;
};
std::optional<TablePosition> FindNotFinite(const FloatTable& table);

// Looks for NaN and infinities. Errors: InvalidArgument, "PLACE, row R, value
// C: expected a finite number, found X" with the first one by rows.
absl::Status CheckFinite(const FloatTable& table, absl::string_view place);

// A file's rows before they are checked.
struct VectorRows {
  std::vector<absl::string_view> words;  // [rows]
  std::vector<uint64_t> counts;          // [rows] or empty
  RowStore table;                        // [rows, dim]
  std::optional<SubwordTables> subwords;
  // Messages call row r PLACE followed by NumberOf(r): "a.txt:2", "a.bin: row
  // 0".
  std::string place;
  uint64_t first = 0;
  // [rows], where lines or rows of the file were left out; empty: row r has the
  // number first + r.
  std::vector<uint64_t> numbers;
  // Faults that did not prevent reading, each with its place in the file.
  std::vector<std::string> warnings;

  uint64_t NumberOf(size_t row) const {
    return numbers.empty() ? first + row : numbers[row];
  }
};

// "PLACE" and number of the first of them: one warning for all that were left
// out for one reason, such as "a.txt:3: blank line, skipped (and 2 more)".
// `numbers` is not empty.
std::string LeftOutWarning(absl::string_view place,
                           absl::Span<const uint64_t> numbers,
                           absl::string_view reason);

// Reports the warnings to hooks.progress unless it is null.
void ReportWarnings(const VectorRows& rows, const Hooks& hooks);

// A file of the vectors alone. Checks that every value is finite and every word
// there once (or drops the later ones, which makes the table one of floats).
// lazily: checks neither. Errors: InvalidArgument, with the place.
absl::StatusOr<VectorFile> AssembleFile(VectorRows rows,
                                        DuplicateWords duplicates, bool lazily);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_VECTOR_ROWS_H_
