// A text is divided at line ends into pieces of a few megabytes. A first pass,
// which only counts lines, determines the rows of each piece. Then threads
// parse the pieces directly into their rows of the table. The table is thus
// allocated once, in its final size, and messages can name the line regardless
// of the thread.

#include "io/codecs/text_table.h"

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "io/codecs/text_row.h"

namespace firth {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr uint64_t kFewValues = uint64_t{1} << 16;
constexpr size_t kMostFloatChars = 16;  // "-1.17549435e-38" has 15.

// A line that is not a row.
struct OddLine {
  uint64_t line = 0;
  TextLine kind = TextLine::kBlank;
};

// Whole lines, each with its '\n', except perhaps the last line of the file.
struct Piece {
  absl::string_view text;
  size_t first_row = 0;
  size_t rows = 0;
  uint64_t first_line = 0;
  uint64_t lines = 0;
  std::vector<OddLine> odd = {};  // In the order of the file.
};

// Removes the first line from a text that is not empty. Returns it without its
// '\n'.
absl::string_view TakeLine(absl::string_view* text) {
  const size_t bytes = std::min(text->find('\n'), text->size());
  const absl::string_view line = text->substr(0, bytes);
  text->remove_prefix(std::min(bytes + 1, text->size()));
  return line;
}

// Checks that `rows` rows fit in the file. If they need little memory, no check
// is made, so that a later message can name the line that is too short.
absl::Status CheckRoom(const MappedFile& file, const TextLayout& layout,
                       uint64_t rows) {
  if (MultiplySaturated(rows, layout.dim) <= kFewValues) {
    return absl::OkStatus();
  }
  // A row takes at least a word and a line end, and a value takes at least a
  // separator and a digit.
  return CheckPromisedSize(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(file.path(), layout.has_header ? ":1" : ""), rows,
      layout.dim, 2, 2, file.size() - layout.begin);
}

// Checks that the rows that were found can have as many values as the header
// promises.
absl::Status CheckRowsHaveRoom(const MappedFile& file, const TextLayout& layout,
                               uint64_t found) {
  const absl::Status status = CheckRoom(file, layout, found);
  if (status.ok() || !layout.has_header || found == layout.rows) return status;
  return BadLine(
      file.path(), layout.lines_before(),
      absl::StrCat("the header promises ", layout.rows, " rows of ", layout.dim,
                   " values, found ", file.size() - layout.begin,
                   " bytes after it, too few for ", found,
                   found == 1 ? " such row" : " such rows"));
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

// Searches for line ends one by one. Since lines are long, this is four times
// as fast as counting bytes.
void CountRows(size_t dim, Piece* piece) {
  absl::string_view rest = piece->text;
  while (!rest.empty()) {
    const TextLine kind = ClassifyLine(TakeLine(&rest), dim);
    if (kind == TextLine::kRow) {
      ++piece->rows;
    } else {
      piece->odd.push_back({piece->lines, kind});
    }
    ++piece->lines;
  }
}

// The lines and rows of a file, divided into pieces.
struct Pieces {
  std::vector<Piece> list;
  size_t rows = 0;
  uint64_t lines = 0;                  // Number of lines in the file.
  std::vector<uint64_t> blank = {};    // Numbers of blank lines.
  std::vector<uint64_t> no_word = {};  // Numbers of lines without a word.
};

// Counts rows and lines, but not those that are reached after a request to
// stop.
Pieces CountRows(const MappedFile& file, const TextLayout& layout,
                 const Hooks& hooks) {
  Pieces pieces{CutAtLines(file.bytes().substr(layout.begin))};
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic) if (pieces.list.size() > 1)
  for (Piece& piece : pieces.list) {
    if (hooks.StopRequested()) continue;
    exceptions.Catch([&] { CountRows(layout.dim, &piece); });
  }
  exceptions.Rethrow();
  for (uint64_t line = 1; line <= layout.blank_lines; ++line) {
    pieces.blank.push_back(line);
  }
  pieces.lines = layout.lines_before();
  for (Piece& piece : pieces.list) {
    piece.first_row = pieces.rows;
    piece.first_line = pieces.lines + 1;
    for (OddLine& odd : piece.odd) {
      odd.line += piece.first_line;
      (odd.kind == TextLine::kBlank ? pieces.blank : pieces.no_word)
          .push_back(odd.line);
    }
    pieces.rows += piece.rows;
    pieces.lines += piece.lines;
  }
  return pieces;
}

// Checks a last line without a line end. It is complete if it can be parsed, if
// another line confirms its length, and if the file has line ends at all.
absl::Status CheckLastLine(const MappedFile& file, const TextLayout& layout,
                           const Pieces& pieces) {
  const absl::string_view text = file.bytes();
  const absl::string_view line =
      text.substr(std::max(layout.begin, text.rfind('\n') + 1));
  const auto bad = [&](absl::string_view message) {
    return BadLine(file.path(), pieces.lines, message);
  };
  if (line.find('\r') < line.size() - 1) {
    return bad(
        "expected lines that end with LF or CR LF, found CR alone; \"tr '\\r' "
        "'\\n'\" converts them");
  }
  const uint64_t found = pieces.rows + pieces.no_word.size();
  if (found == 0 || (found == 1 && !layout.has_header)) {
    return bad(
        "expected a line end after the last line, found the end of the file; "
        "the file is cut off or lacks only the line end");
  }
  if (ClassifyLine(line, layout.dim) != TextLine::kRow) return absl::OkStatus();
  std::vector<float> values(layout.dim);
  const absl::Status parsed =
      ParseTextRow(line, layout.dim, values.data()).status();
  return parsed.ok() ? absl::OkStatus()
                     : bad(absl::StrCat(
                           parsed.message(),
                           "; the file ends in this line, so it is cut off"));
}

// Returns an error if the header does not match the number of rows. It may
// promise more rows than there are if the file is `whole`.
absl::Status CheckPromise(const MappedFile& file, const TextLayout& layout,
                          uint64_t found, bool whole) {
  if (!layout.has_header || found == layout.rows) return absl::OkStatus();
  if (found < layout.rows && whole) return absl::OkStatus();
  const std::string way_out =
      found > layout.rows
          ? absl::StrCat("; if all of them are words, change the header to \"",
                         found, " ", layout.dim, "\"")
          : ", the last one without a line end; the file is cut off";
  return BadLine(
      file.path(), layout.lines_before(),
      absl::StrCat("the header promises ", layout.rows, " words, found ", found,
                   " lines after it", way_out));
}

// Returns warnings about lines that were read although they are unusual.
std::vector<std::string> WarningsOf(const MappedFile& file,
                                    const TextLayout& layout,
                                    const Pieces& pieces, uint64_t found,
                                    bool whole) {
  const std::string place = absl::StrCat(file.path(), ":");
  std::vector<std::string> warnings;
  if (layout.has_header && found < layout.rows) {
    warnings.push_back(absl::StrCat(
        place, layout.lines_before(), ": the header promises ", layout.rows,
        " words, found ", found, " lines after it; these lines were read"));
  }
  if (!pieces.blank.empty()) {
    warnings.push_back(
        LeftOutWarning(place, pieces.blank, "blank line skipped"));
  }
  if (!pieces.no_word.empty()) {
    warnings.push_back(
        LeftOutWarning(place, pieces.no_word,
                       "left out a word that is empty or only white space, "
                       "which a vocabulary cannot hold"));
  }
  if (!whole) {
    warnings.push_back(
        absl::StrCat(place, pieces.lines,
                     ": no line end after the last line; if the file was cut "
                     "off there, its last value is wrong"));
  }
  return warnings;
}

// Returns the lines in pieces, after the checks that need no parsing.
absl::StatusOr<Pieces> FindPieces(const MappedFile& file,
                                  const TextLayout& layout, const Hooks& hooks,
                                  std::vector<std::string>* warnings) {
  Pieces pieces = CountRows(file, layout, hooks);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  FIRTH_RETURN_IF_ERROR(CheckRowsHaveRoom(file, layout, pieces.rows));
  // White space may follow the last line end.
  const bool whole =
      file.bytes().back() == '\n' ||
      (!pieces.blank.empty() && pieces.blank.back() == pieces.lines);
  const uint64_t found = pieces.rows + pieces.no_word.size();
  if (!whole) FIRTH_RETURN_IF_ERROR(CheckLastLine(file, layout, pieces));
  FIRTH_RETURN_IF_ERROR(CheckPromise(file, layout, found, whole));
  *warnings = WarningsOf(file, layout, pieces, found, whole);
  return pieces;
}

// Fills the rows of one piece, and their line numbers if they are stored.
absl::Status ParsePiece(const Piece& piece, absl::string_view path,
                        PaddedMatrix& table, VectorRows& rows) {
  absl::string_view rest = piece.text;
  auto odd = piece.odd.begin();
  size_t row = piece.first_row;
  for (uint64_t line = piece.first_line; !rest.empty(); ++line) {
    const absl::string_view text = TakeLine(&rest);
    if (odd != piece.odd.end() && odd->line == line) {
      ++odd;
      continue;
    }
    absl::StatusOr<absl::string_view> word =
        ParseTextRow(text, table.cols(), table.Row(row));
    if (!word.ok()) return BadLine(path, line, word.status().message());
    rows.words[row] = *word;
    if (!rows.numbers.empty()) rows.numbers[row] = line;
    ++row;
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
  VectorRows rows;
  FIRTH_ASSIGN_OR_RETURN(const Pieces pieces,
                         FindPieces(file, layout, hooks, &rows.warnings));
  rows.words.resize(pieces.rows);
  rows.place = absl::StrCat(file.path(), ":");
  rows.first = layout.lines_before() + 1;
  const bool has_gaps = pieces.rows + layout.lines_before() != pieces.lines;
  if (has_gaps) rows.numbers.resize(pieces.rows);
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file.path(), pieces.rows, layout.dim));
  std::vector<absl::Status> status(pieces.list.size());
#pragma omp parallel for schedule(dynamic) if (pieces.list.size() > 1)
  for (size_t i = 0; i < pieces.list.size(); ++i) {
    status[i] = hooks.StopRequested()
                    ? absl::CancelledError("interrupted")
                    : ParsePiece(pieces.list[i], file.path(), table, rows);
  }
  for (const absl::Status& piece_status : status) {
    FIRTH_RETURN_IF_ERROR(piece_status);
  }
  rows.table = std::move(table);
  return rows;
}

absl::StatusOr<TextRowCount> CountTextRows(const MappedFile& file,
                                           const TextLayout& layout) {
  TextRowCount count;
  FIRTH_ASSIGN_OR_RETURN(const Pieces pieces,
                         FindPieces(file, layout, {}, &count.warnings));
  count.rows = pieces.rows;
  const absl::string_view text = file.bytes().substr(layout.begin);
  const absl::string_view line = text.substr(0, text.find('\n'));
  if (ClassifyLine(line, layout.dim) != TextLine::kRow) return count;
  std::vector<float> values(layout.dim);
  const absl::Status parsed =
      ParseTextRow(line, layout.dim, values.data()).status();
  if (parsed.ok()) return count;
  return BadLine(file.path(), layout.lines_before() + 1, parsed.message());
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

// Threads take turns to format one block each.
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
