// A text is cut into pieces of some megabytes at line ends. A first pass, which
// only counts lines, tells which rows a piece has; then threads parse pieces
// straight into their rows of the table. So the table is made once, at its
// size, and a message can name the line wherever the thread was.

#include "io/codecs/text_table.h"

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "io/codecs/text_row.h"

namespace firth {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr uint64_t kFewValues = uint64_t{1} << 16;
constexpr size_t kMostFloatChars = 16;  // "-1.17549435e-38" has 15

// Whole lines, each with its '\n'.
struct Piece {
  absl::string_view lines;
  size_t first_row = 0;
  size_t rows = 0;
};

// That `rows` rows fit in the file. Where they take little memory they may be
// tried without: then the message can name the line that is too short.
absl::Status CheckRoom(const MappedFile& file, const TextLayout& layout,
                       uint64_t rows) {
  if (MultiplySaturated(rows, layout.dim) <= kFewValues) {
    return absl::OkStatus();
  }
  // A row takes a word and a line end, a value a separator and a digit.
  return CheckPromisedSize(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(file.path(), layout.has_header ? ":1" : ""), rows,
      layout.dim, 2, 2, file.size() - layout.begin);
}

std::vector<Piece> CutAtLines(absl::string_view lines) {
  std::vector<Piece> pieces;
  while (!lines.empty()) {
    const size_t newline =
        lines.find('\n', std::min(kPieceBytes, lines.size()) - 1);
    const size_t bytes = std::min(newline, lines.size() - 1) + 1;
    pieces.push_back({lines.substr(0, bytes)});
    lines.remove_prefix(bytes);
  }
  return pieces;
}

// Sets the rows of all pieces; none of those that come after a stop.
void CountRows(const Hooks& hooks, std::vector<Piece>& pieces) {
#pragma omp parallel for schedule(dynamic) if (pieces.size() > 1)
  for (Piece& piece : pieces) {
    if (hooks.StopRequested()) continue;
    // Lines are long: looking for their ends one by one is four times as fast
    // as counting bytes.
    size_t end = piece.lines.find('\n');
    for (; end != piece.lines.npos; end = piece.lines.find('\n', end + 1)) {
      ++piece.rows;
    }
  }
  size_t rows = 0;
  for (Piece& piece : pieces) {
    piece.first_row = rows;
    rows += piece.rows;
  }
}

size_t NumRows(const std::vector<Piece>& pieces) {
  return pieces.empty() ? 0 : pieces.back().first_row + pieces.back().rows;
}

// The lines as pieces, after the checks that need no parsing.
absl::StatusOr<std::vector<Piece>> FindPieces(const MappedFile& file,
                                              const TextLayout& layout,
                                              const Hooks& hooks = {}) {
  std::vector<Piece> pieces = CutAtLines(file.bytes().substr(layout.begin));
  CountRows(hooks, pieces);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  const size_t rows = NumRows(pieces);
  const size_t header_lines = layout.has_header ? 1 : 0;
  if (file.bytes().back() != '\n') {
    return BadLine(file.path(), header_lines + rows + 1,
                   "expected a line end after the last line, found the end of "
                   "the file: it is cut, or lacks only that");
  }
  if (layout.has_header && rows != layout.rows) {
    return BadLine(file.path(), 1,
                   absl::StrCat("the header promises ", layout.rows,
                                " words, found ", rows, " lines after it"));
  }
  return pieces;
}

// Fills the rows of one piece; `first_line` is the line number of row 0.
absl::Status ParsePiece(const Piece& piece, absl::string_view path,
                        size_t first_line, PaddedMatrix& table,
                        std::vector<absl::string_view>& words) {
  absl::string_view rest = piece.lines;
  for (size_t row = piece.first_row; row < piece.first_row + piece.rows;
       ++row) {
    const size_t bytes = rest.find('\n');
    absl::StatusOr<absl::string_view> word =
        ParseTextRow(rest.substr(0, bytes), table.cols(), table.Row(row));
    if (!word.ok()) {
      return BadLine(path, first_line + row, word.status().message());
    }
    words[row] = *word;
    rest.remove_prefix(bytes + 1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BadLine(absl::string_view path, uint64_t line,
                     absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ":", line, ": ", message));
}

absl::Status CheckTextRoom(const MappedFile& file, const TextLayout& layout) {
  return CheckRoom(file, layout, layout.rows);
}

absl::StatusOr<VectorRows> ReadTextRows(const MappedFile& file,
                                        const TextLayout& layout,
                                        const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                         FindPieces(file, layout, hooks));
  const size_t count = NumRows(pieces);
  FIRTH_RETURN_IF_ERROR(CheckRoom(file, layout, count));
  VectorRows rows;
  rows.words.resize(count);
  rows.place = absl::StrCat(file.path(), ":");
  rows.first = layout.has_header ? 2 : 1;
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file.path(), count, layout.dim));
  std::vector<absl::Status> status(pieces.size());
#pragma omp parallel for schedule(dynamic) if (pieces.size() > 1)
  for (size_t i = 0; i < pieces.size(); ++i) {
    status[i] =
        hooks.StopRequested()
            ? absl::CancelledError("interrupted")
            : ParsePiece(pieces[i], file.path(), rows.first, table, rows.words);
  }
  for (const absl::Status& piece_status : status) {
    FIRTH_RETURN_IF_ERROR(piece_status);
  }
  rows.table = std::move(table);
  return rows;
}

absl::StatusOr<size_t> CountTextRows(const MappedFile& file,
                                     const TextLayout& layout) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                         FindPieces(file, layout));
  return NumRows(pieces);
}

void AppendTextRow(absl::string_view name, char separator,
                   absl::Span<const float> values, std::string* text) {
  text->append(name.data(), name.size());
  char chars[kMostFloatChars];
  for (const float value : values) {
    const auto end = std::to_chars(chars, chars + sizeof(chars), value).ptr;
    text->push_back(separator);
    text->append(chars, end);
    separator = ' ';
  }
  text->push_back('\n');
}

// Threads format a block each, in turns.
absl::Status WriteTextRows(
    const FloatTable& table, size_t first,
    absl::FunctionRef<char(size_t row, std::string* text)> append_name,
    OutputFile& out) {
  const size_t block_rows =
      std::max<size_t>(1, kPieceBytes / (table.cols() * kMostFloatChars));
  const auto threads = static_cast<size_t>(omp_get_max_threads());
  std::vector<std::string> texts(threads);
  for (size_t begin = first; begin < table.rows();
       begin += threads * block_rows) {
    ParallelExceptions exceptions;
#pragma omp parallel for schedule(static) if (table.rows() > block_rows)
    for (size_t i = 0; i < threads; ++i) {
      exceptions.Catch([&] {
        texts[i].clear();
        const size_t from = std::min(begin + i * block_rows, table.rows());
        const size_t end = std::min(from + block_rows, table.rows());
        for (size_t row = from; row < end; ++row) {
          const char separator = append_name(row, &texts[i]);
          AppendTextRow("", separator, table.Row(row), &texts[i]);
        }
      });
    }
    exceptions.Rethrow();
    for (const std::string& text : texts) {
      FIRTH_RETURN_IF_ERROR(out.Write(text));
    }
  }
  return absl::OkStatus();
}

}  // namespace firth
