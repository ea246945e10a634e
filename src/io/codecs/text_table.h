// The lines of a text file of vectors: a name each, then its values, as all the
// text formats have them after their first line.
//
// Reading maps the file and goes over it twice, in parallel by pieces of whole
// lines: one pass counts lines, so that each piece knows its rows, the other
// parses. What a reader can see through is read, with a warning that names the
// line: blank lines and rows without a word are left out, a last line need not
// have its end, and a header may promise more rows than there are. Where two of
// these come together, the file is cut and refused, as it is if the header
// promises fewer rows. Values are written with the fewest digits that read back
// the same.

#ifndef FIRTH_IO_CODECS_TEXT_TABLE_H_
#define FIRTH_IO_CODECS_TEXT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "firth/matrix.h"
#include "io/codecs/vector_rows.h"

namespace firth {

// What stands before the rows, and how long a row is.
struct TextLayout {
  bool has_header = false;  // one line
  uint64_t rows = 0;        // with a header only: what it promises
  uint64_t dim = 0;
  size_t begin = 0;          // of the rows, in bytes
  uint64_t blank_lines = 0;  // before the header or the first row

  // Lines before the rows.
  uint64_t lines_before() const { return blank_lines + (has_header ? 1 : 0); }
};

// "PATH:LINE: MESSAGE"
absl::Status BadLine(absl::string_view path, uint64_t line,
                     absl::string_view message);

// Whether the rows that the header promises fit in the file. Errors:
// InvalidArgument.
absl::Status CheckTextRoom(const MappedFile& file, const TextLayout& layout);

// The rows, with warnings for all that is odd. Errors: InvalidArgument with the
// line, ResourceExhausted, Cancelled.
absl::StatusOr<VectorRows> ReadTextRows(const MappedFile& file,
                                        const TextLayout& layout,
                                        const Hooks& hooks);

// Counts the rows and parses the first one alone. Errors: those of
// ReadTextRows() that need no more.
struct TextRowCount {
  size_t rows = 0;
  std::vector<std::string> warnings;
};
absl::StatusOr<TextRowCount> CountTextRows(const MappedFile& file,
                                           const TextLayout& layout);

// Appends one line, with this separator after the name and spaces between the
// values.
void AppendTextRow(absl::string_view name, char separator,
                   absl::Span<const float> values, std::string* text);

// Writes rows from `first`; `append_name` appends the name of a row, returns
// the separator after it, and is called by several threads.
absl::Status WriteTextRows(
    const FloatTable& table, size_t first,
    absl::FunctionRef<char(size_t row, std::string* text)> append_name,
    OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_TEXT_TABLE_H_
