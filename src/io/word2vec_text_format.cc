// word2vec text: "<words> <dim>\n", then a line a word: the word, a space, its
// values separated by spaces. GloVe writes the same without the first line; the
// number of values is then that of line 1.
//
// A first line of exactly two integers is a header. (A file without header, of
// one dimension, whose first word and value are integers, reads as one: its
// number of lines then does not agree with it.) Every line must have its end,
// because a cut in the last value could not be seen otherwise; a cut exactly at
// a line end shows by the header, and without header not at all.
//
// Reading maps the file and goes over it twice, in parallel by pieces of whole
// lines: one pass counts lines, so that each piece knows its rows, the other
// parses. Values are written with the fewest digits that read back the same.

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "io/text_row.h"
#include "io/vector_format.h"
#include "io/vector_rows.h"
#include "io/word2vec_header.h"

namespace firth {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr uint64_t kFewValues = uint64_t{1} << 16;
constexpr size_t kMostFloatChars = 16;  // "-1.17549435e-38" has 15

// What stands before the rows, and how long a row is.
struct Layout {
  bool has_header = false;
  uint64_t words = 0;  // with a header only
  uint64_t dim = 0;
  size_t begin = 0;  // of the rows, in bytes
};

// Whole lines, each with its '\n'.
struct Piece {
  absl::string_view lines;
  size_t first_row = 0;
  size_t rows = 0;
};

absl::Status BadLine(absl::string_view path, uint64_t line,
                     absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ":", line, ": ", message));
}

// That `rows` rows fit in the file. Where they take little memory they may be
// tried without: then the message can name the line that is too short.
absl::Status CheckRoom(const MappedFile& file, const Layout& layout,
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

absl::StatusOr<Layout> ReadLayout(const MappedFile& file) {
  const auto header = ParseWord2vecHeader(file.bytes());
  if (!header.has_value()) {
    const absl::string_view line =
        file.bytes().substr(0, file.bytes().find('\n'));
    const size_t dim = CountValues(line);
    if (dim > 0) return Layout{false, 0, dim, 0};
    return BadLine(file.path(), 1,
                   absl::StrCat("expected \"<words> <dim>\" or a word with its "
                                "values, found ",
                                Quote(line)));
  }
  if (header->dim == 0) {
    return BadLine(file.path(), 1, "expected a dimension above 0, found 0");
  }
  const Layout layout = {true, header->words, header->dim, header->bytes};
  FIRTH_RETURN_IF_ERROR(CheckRoom(file, layout, layout.words));
  return layout;
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

// Sets the rows of all pieces and returns their sum.
size_t CountRows(std::vector<Piece>& pieces) {
#pragma omp parallel for schedule(dynamic) if (pieces.size() > 1)
  for (Piece& piece : pieces) {
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
  return rows;
}

// The lines as pieces, after the checks that need no parsing.
absl::StatusOr<std::vector<Piece>> FindPieces(const MappedFile& file,
                                              const Layout& layout) {
  std::vector<Piece> pieces = CutAtLines(file.bytes().substr(layout.begin));
  const size_t rows = CountRows(pieces);
  const size_t header_lines = layout.has_header ? 1 : 0;
  if (file.bytes().back() != '\n') {
    return BadLine(file.path(), header_lines + rows + 1,
                   "expected a line end after the last line, found the end of "
                   "the file: it is cut, or lacks only that");
  }
  if (layout.has_header && rows != layout.words) {
    return BadLine(file.path(), 1,
                   absl::StrCat("the header promises ", layout.words,
                                " words, found ", rows, " lines after it"));
  }
  return pieces;
}

// Fills the rows of one piece; `first_line` is the line number of row 0.
absl::Status ParsePiece(const Piece& piece, absl::string_view path,
                        size_t first_line, TableBuilder& table,
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

absl::StatusOr<VectorRows> ParsePieces(const MappedFile& file,
                                       const Layout& layout,
                                       const std::vector<Piece>& pieces) {
  const size_t count =
      pieces.empty() ? 0 : pieces.back().first_row + pieces.back().rows;
  FIRTH_RETURN_IF_ERROR(CheckRoom(file, layout, count));
  VectorRows rows;
  rows.words.resize(count);
  rows.place = absl::StrCat(file.path(), ":");
  rows.first = layout.has_header ? 2 : 1;
  FIRTH_ASSIGN_OR_RETURN(TableBuilder table,
                         TableBuilder::Create(file.path(), count, layout.dim));
  std::vector<absl::Status> status(pieces.size());
#pragma omp parallel for schedule(dynamic) if (pieces.size() > 1)
  for (size_t i = 0; i < pieces.size(); ++i) {
    status[i] =
        ParsePiece(pieces[i], file.path(), rows.first, table, rows.words);
  }
  for (const absl::Status& piece_status : status) {
    FIRTH_RETURN_IF_ERROR(piece_status);
  }
  rows.table = std::move(table).Build();
  return rows;
}

// A word that ParseTextRow() would not give back as it is.
absl::Status CheckWord(absl::string_view path, absl::string_view word) {
  constexpr absl::string_view kSeparators = " \t";
  const char* why = nullptr;
  const size_t last = word.find_last_of(kSeparators);
  if (absl::StrContains(word, '\n')) {
    why = "a line end in a word";
  } else if (kSeparators.find(word.front()) != kSeparators.npos ||
             last == word.size() - 1) {
    why = "a space at the edge of a word";
  } else if (last != word.npos && CountValues(word) > 0) {
    why = "a word that ends in a space and a number";
  }
  if (why == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": word ", Quote(word), ": word2vec text cannot hold ", why));
}

void AppendRow(absl::string_view word, absl::Span<const float> values,
               std::string* text) {
  text->append(word.data(), word.size());
  char chars[kMostFloatChars];
  for (const float value : values) {
    const auto end = std::to_chars(chars, chars + sizeof(chars), value).ptr;
    text->push_back(' ');
    text->append(chars, end);
  }
  text->push_back('\n');
}

// Writes all rows; threads format a block each, in turns.
absl::Status WriteRows(const WordVectors& vectors, OutputFile& out) {
  const size_t block_rows =
      std::max<size_t>(1, kPieceBytes / (vectors.dim() * kMostFloatChars));
  const auto threads = static_cast<size_t>(omp_get_max_threads());
  std::vector<std::string> texts(threads);
  for (size_t begin = 0; begin < vectors.size();
       begin += threads * block_rows) {
#pragma omp parallel for schedule(static) if (vectors.size() > block_rows)
    for (size_t i = 0; i < threads; ++i) {
      texts[i].clear();
      const size_t first = std::min(begin + i * block_rows, vectors.size());
      const size_t end = std::min(first + block_rows, vectors.size());
      for (size_t row = first; row < end; ++row) {
        const WordId word = ToWordId(row);
        AppendRow(vectors.vocabulary().Word(word), vectors.Vector(word),
                  &texts[i]);
      }
    }
    for (const std::string& text : texts) {
      FIRTH_RETURN_IF_ERROR(out.Write(text));
    }
  }
  return absl::OkStatus();
}

class Word2vecText : public VectorFormat {
 public:
  const VectorFormatInfo& Info() const override { return info_; }

  bool Sniff(absl::string_view head, absl::string_view path) const override {
    const auto header = ParseWord2vecHeader(head);
    if (header.has_value()) return RowsAreText(*header, head, path);
    return CountValues(head.substr(0, head.find('\n'))) > 0;
  }

  absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                  const LoadOptions& options) const override {
    FIRTH_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(*file));
    FIRTH_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                           FindPieces(*file, layout));
    FIRTH_ASSIGN_OR_RETURN(VectorRows rows, ParsePieces(*file, layout, pieces));
    VectorFile loaded;
    FIRTH_ASSIGN_OR_RETURN(
        loaded.vectors, AssembleVectors(std::move(rows), options.duplicates));
    return loaded;
  }

  absl::Status Save(const VectorFile& file,
                    const std::string& path) const override {
    const WordVectors& vectors = file.vectors;
    for (size_t i = 0; i < vectors.size(); ++i) {
      FIRTH_RETURN_IF_ERROR(
          CheckWord(path, vectors.vocabulary().Word(ToWordId(i))));
    }
    FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
    FIRTH_RETURN_IF_ERROR(
        out.Write(absl::StrCat(vectors.size(), " ", vectors.dim(), "\n")));
    FIRTH_RETURN_IF_ERROR(WriteRows(vectors, out));
    return out.Commit();
  }

  absl::StatusOr<VectorFileInfo> Describe(
      const MappedFilePtr& file) const override {
    FIRTH_ASSIGN_OR_RETURN(const Layout layout, ReadLayout(*file));
    VectorFileInfo info;
    info.dim = layout.dim;
    info.words = layout.words;
    if (!layout.has_header) {
      std::vector<Piece> pieces = CutAtLines(file->bytes());
      info.words = CountRows(pieces);
    }
    return info;
  }

 private:
  const VectorFormatInfo info_ = {
      "text", {".txt", ".vec"}, "word2vec text; reads GloVe and fastText too"};
};

}  // namespace

const VectorFormat& Word2vecTextFormat() {
  static const Word2vecText format;
  return format;
}

}  // namespace firth
