// The rows of a text file of vectors, one name and its values per line. All
// text formats have them after their first line.
//
// The reader maps the file and reads it twice, in parallel over pieces of whole
// lines. The first pass counts lines, so that each piece knows its rows; the
// second parses. Faults that leave no doubt are accepted, with a warning that
// names the line: blank lines and rows without a word are skipped, the last
// line may lack its end, and a header may promise more rows than there are. If
// the last two occur together, the file is truncated and is rejected. It is
// also rejected if the header promises fewer rows than there are. Values are
// written with the fewest digits from which the same value is read.

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

// The layout of a text: the part before the rows, and the length of a row.
struct TextLayout {
  bool has_header = false;  // Whether there is a header, which is one line.
  // Number of rows that the header promises, if there is a header.
  uint64_t rows = 0;
  uint64_t dim = 0;
  size_t begin = 0;          // Start of the rows, in bytes.
  uint64_t blank_lines = 0;  // Blank lines before the header or the first row.

  // Returns the number of lines before the rows.
  uint64_t lines_before() const { return blank_lines + (has_header ? 1 : 0); }
};

// Returns the error "PATH:LINE: MESSAGE".
absl::Status BadLine(absl::string_view path, uint64_t line,
                     absl::string_view message);

// Checks that the rows promised by the header fit in the file. Errors:
// InvalidArgument.
absl::Status CheckTextRoom(const MappedFile& file, const TextLayout& layout);

// Reads the rows, with warnings about everything unusual. Errors:
// InvalidArgument with the line, ResourceExhausted, Cancelled.
absl::StatusOr<VectorRows> ReadTextRows(const MappedFile& file,
                                        const TextLayout& layout,
                                        const Hooks& hooks);

// The number of rows, and warnings. CountTextRows() parses only the first row.
// Errors: those of ReadTextRows() that can be found this way.
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

// Writes the rows from `first` on. `append_name` appends the name of a row and
// returns the separator after it; several threads call it.
absl::Status WriteTextRows(
    const FloatTable& table, size_t first,
    absl::FunctionRef<char(size_t row, std::string* text)> append_name,
    OutputFile& out);

}  // namespace firth

#endif  // FIRTH_IO_CODECS_TEXT_TABLE_H_
