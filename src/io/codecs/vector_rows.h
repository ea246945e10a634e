// Rows of finite floats with one word each, the output of every reader and the
// input of every writer.

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
#include "base/memory_info.h"
#include "base/output_file.h"
#include "base/saturated.h"
#include "firth/matrix.h"
#include "firth/progress.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "firth/word_vectors.h"
#include "io/codecs/byte_reader.h"

namespace firth {

// The tensors of a file begin at multiples of this, so that they can be mapped.
inline constexpr size_t kTensorAlignment = 64;

// Returns an error with `code` if `rows` rows of `cols` values do not fit in
// `available` bytes of the file. Each value takes at least `value_bytes`, and
// each row takes `row_bytes` more. Call it before memory is allocated for them.
absl::Status CheckPromisedSize(absl::StatusCode code, absl::string_view place,
                               uint64_t rows, uint64_t cols,
                               uint64_t value_bytes, uint64_t row_bytes,
                               uint64_t available);

// Returns the [rows, cols] floats at `offset` of the file, which must lie
// inside it. They stay in the file if they are aligned like floats, and are
// copied otherwise.
absl::StatusOr<FloatTable> TableInFile(const MappedFilePtr& file,
                                       uint64_t offset, size_t rows,
                                       size_t cols);

// Does the same at the position of the reader, and moves it past the floats.
// `what` names them in messages.
absl::StatusOr<FloatTable> ReadFloats(const MappedFilePtr& file, uint64_t rows,
                                      uint64_t cols, absl::string_view what,
                                      ByteReader& reader);

// Returns whether work on this many values justifies waking other threads.
bool IsWorthThreads(uint64_t values);

// Returns the memory of `values`, for writing.
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

// Writes one row per bucket, with zeros for buckets without a row. The index
// must be one of buckets.
absl::Status WriteBucketRows(const SubwordTables& subwords, uint64_t buckets,
                             OutputFile& out);

// The position of the first value that is NaN or infinite, in row order.
struct TablePosition {
  size_t row = 0;
  size_t col = 0;
};
std::optional<TablePosition> FindNotFinite(const FloatTable& table);

// Checks that there are no NaNs and infinities. Errors: InvalidArgument,
// "PLACE, row R, value C: expected a finite number, found X", for the first one
// in row order.
absl::Status CheckFinite(const FloatTable& table, absl::string_view place);

// The rows of a file before they are checked.
struct VectorRows {
  std::vector<absl::string_view> words;  // [rows]
  std::vector<uint64_t> counts;          // [rows] or empty
  RowStore table;                        // [rows, dim]
  std::optional<SubwordTables> subwords;
  // Messages refer to row r as PLACE followed by NumberOf(r): "a.txt:2",
  // "a.bin: row 0".
  std::string place;
  uint64_t first = 0;
  // [rows], if lines or rows of the file were skipped. If empty, row r has the
  // number first + r.
  std::vector<uint64_t> numbers;
  // Faults that did not prevent reading, each with its place in the file.
  std::vector<std::string> warnings;

  uint64_t NumberOf(size_t row) const {
    return numbers.empty() ? first + row : numbers[row];
  }
};

// Returns one warning about everything that was skipped for the same reason,
// with the place and number of the first, such as "a.txt:3: blank line, skipped
// (and 2 more)". `numbers` must not be empty.
std::string LeftOutWarning(absl::string_view place,
                           absl::Span<const uint64_t> numbers,
                           absl::string_view reason);

// Reports the warnings to hooks.progress unless it is null.
void ReportWarnings(const VectorRows& rows, const Hooks& hooks);

// Returns the content of a file, only with its vectors. Checks that every value
// is finite and that every word occurs once. Alternatively, drops later
// duplicates, which converts the table to floats. If `lazily` is true, checks
// neither. Errors: InvalidArgument, with the place.
absl::StatusOr<VectorFile> AssembleFile(VectorRows rows,
                                        DuplicateWords duplicates, bool lazily);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_VECTOR_ROWS_H_
