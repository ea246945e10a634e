// Text, one line per word. word2vec's format, which is also that of fastText's
// .vec files, begins with a header. GloVe writes none, and the number of values
// is that of line 1:
//
//   +-----------------------------------+
//   | words SP dim LF                   |  word2vec only
//   +-----------------------------------+
//   | word SP value SP ... SP value LF  |  row 0, dim values in decimal digits
//   | word SP value SP ... SP value LF  |
//   | ...                               |
//   +-----------------------------------+
//
// A byte order mark at the start of the file is skipped.
//
// Words may contain spaces, since values are read from the end of the line. In
// word2vec's format, a word that ends in a number ("Boeing 747") is followed by
// a tab instead of a space, so that the number is not mistaken for a value.
// Programs that split lines at spaces cannot read either kind of word.
//
// A first line of exactly two integers is a header. (A file without header that
// has one dimension and whose first word and value are integers is also read
// this way, unless the format GloVe is given.) A file truncated exactly at a
// line end is detected by the header, which leads to a warning, but not without
// a header. See text_table.h.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "io/codecs/text_row.h"
#include "io/codecs/text_table.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/vector_format.h"
#include "io/formats/word2vec_header.h"

namespace firth {
namespace {

constexpr absl::string_view kWord2vecExtensions[] = {".txt", ".vec"};
constexpr absl::string_view kGloveExtensions[] = {".glove"};

// A text from its first line that is not blank.
struct TextStart {
  absl::string_view text;
  uint64_t blank_lines = 0;  // Blank lines before it.

  absl::string_view line() const { return text.substr(0, text.find('\n')); }
};

TextStart FindStart(absl::string_view text) {
  TextStart start = {WithoutByteOrderMark(text)};
  while (start.line().size() < start.text.size() &&
         start.line().find_first_not_of(" \t\r") == absl::string_view::npos) {
    start.text.remove_prefix(start.line().size() + 1);
    ++start.blank_lines;
  }
  return start;
}

absl::StatusOr<TextLayout> LayoutWithoutHeader(const MappedFile& file,
                                               absl::string_view expected) {
  const TextStart start = FindStart(file.bytes());
  const size_t dim = CountValues(start.line());
  absl::string_view word = start.line();
  if (dim > 0) {
    std::vector<float> values(dim);
    word = ParseTextRow(word, dim, values.data()).value_or("");
  }
  // A word of one field may look like anything. The last field of a longer word
  // may be a value, as in "word 1, 2".
  const bool is_one_field = word.find_first_of(" \t") == word.npos;
  const absl::string_view way_out = WayOutOfNoNumber(word);
  if (dim > 0 && (is_one_field || way_out.empty())) {
    return TextLayout{.dim = dim,
                      .begin = file.size() - start.text.size(),
                      .blank_lines = start.blank_lines};
  }
  return BadLine(file.path(), start.blank_lines + 1,
                 absl::StrCat("expected ", expected, ", found ",
                              Quote(start.line()), way_out));
}

absl::StatusOr<TextLayout> ReadWord2vecLayout(const MappedFile& file) {
  const TextStart start = FindStart(file.bytes());
  const auto header = ParseWord2vecHeader(start.text);
  if (!header.has_value()) {
    return LayoutWithoutHeader(file,
                               "\"<words> <dim>\" or a word with its values");
  }
  if (header->dim == 0) {
    return BadLine(file.path(), start.blank_lines + 1,
                   "expected a dimension above 0, found 0");
  }
  return TextLayout{.has_header = true,
                    .rows = header->words,
                    .dim = header->dim,
                    .begin = file.size() - start.text.size() + header->bytes,
                    .blank_lines = start.blank_lines};
}

// Returns whether a tab must separate the word from its values.
bool EndsInNumber(absl::string_view word) { return CountValues(word) > 0; }

// Returns why ParseTextRow() would not return this word unchanged, or null.
const char* RefusedByBoth(absl::string_view word) {
  constexpr absl::string_view kSeparators = " \t";
  const size_t last = word.find_last_of(kSeparators);
  if (absl::StrContains(word, '\n')) return "a line end in a word";
  if (last == word.npos) return nullptr;
  const bool at_edge = kSeparators.find(word.front()) != kSeparators.npos ||
                       last == word.size() - 1;
  return at_edge ? "a space at the beginning or end of a word" : nullptr;
}

// Checks in addition that the tab would be the only one in its line.
const char* RefusedByWord2vec(absl::string_view word) {
  if (const char* const why = RefusedByBoth(word)) return why;
  return absl::StrContains(word, '\t') && EndsInNumber(word)
             ? "a word with a tab that ends in a number"
             : nullptr;
}

// Checks in addition for a number at the end, because the number of values
// comes from the first line, where a tab has no meaning.
const char* RefusedByGlove(absl::string_view word) {
  if (const char* const why = RefusedByBoth(word)) return why;
  return EndsInNumber(word) ? "a word that ends in a space and a number"
                            : nullptr;
}

absl::Status WriteWords(const WordVectors& vectors, size_t first,
                        OutputFile& out) {
  return WriteTextRows(
      vectors.table(), first,
      [&vectors](size_t row, std::string* text) {
        const absl::string_view word = vectors.vocabulary().Word(ToWordId(row));
        text->append(word.data(), word.size());
        return EndsInNumber(word) ? '\t' : ' ';
      },
      out);
}

absl::StatusOr<TextLayout> ReadGloveLayout(const MappedFile& file) {
  return LayoutWithoutHeader(file, "a word with its values");
}

template <absl::StatusOr<TextLayout> (*ReadLayout)(const MappedFile&)>
absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const TextLayout layout, ReadLayout(*file));
  FIRTH_ASSIGN_OR_RETURN(VectorRows rows,
                         ReadTextRows(*file, layout, options.hooks));
  ReportWarnings(rows, options.hooks);
  return AssembleFile(std::move(rows), options.duplicates, options.lazily);
}

template <absl::StatusOr<TextLayout> (*ReadLayout)(const MappedFile&)>
absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const TextLayout layout, ReadLayout(*file));
  VectorFileInfo info;
  info.dim = layout.dim;
  FIRTH_ASSIGN_OR_RETURN(TextRowCount count, CountTextRows(*file, layout));
  info.words = count.rows;
  info.warnings = std::move(count.warnings);
  return info;
}

bool RecognisesWord2vec(absl::string_view head, absl::string_view path) {
  head = FindStart(head).text;
  const auto header = ParseWord2vecHeader(head);
  return header.has_value() && RowsAreText(*header, head, path);
}

absl::Status SaveWord2vec(const VectorFile& file, const SubwordTables*,
                          const std::string& path, const Hooks& hooks) {
  const WordVectors& vectors = file.vectors;
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(
      out.Write(absl::StrCat(vectors.size(), " ", vectors.dim(), "\n")));
  FIRTH_RETURN_IF_ERROR(WriteWords(vectors, 0, out));
  return out.Commit();
}

bool RecognisesGlove(absl::string_view head, absl::string_view) {
  const TextStart start = FindStart(head);
  return !ParseWord2vecHeader(start.text).has_value() &&
         CountValues(start.line()) > 0;
}

// Returns the first row, changed so that a number with an integer value does
// not look like a header, and so that a reader does not drop a byte order mark
// of the word.
std::string FirstGloveRow(const WordVectors& vectors) {
  const absl::string_view word = vectors.vocabulary().Word(WordId{0});
  std::string line;
  if (absl::StartsWith(word, kByteOrderMark)) {
    absl::StrAppend(&line, kByteOrderMark);
  }
  AppendTextRow(word, ' ', vectors.Vector(WordId{0}), &line);
  if (ParseWord2vecHeader(line).has_value()) {
    line.insert(line.size() - 1, ".0");
  }
  return line;
}

absl::Status SaveGlove(const VectorFile& file, const SubwordTables*,
                       const std::string& path, const Hooks& hooks) {
  const WordVectors& vectors = file.vectors;
  if (vectors.size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": not written: there are no words, and the glove format "
                     "has no header that gives the dimensions"));
  }
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(out.Write(FirstGloveRow(vectors)));
  FIRTH_RETURN_IF_ERROR(WriteWords(vectors, 1, out));
  return out.Commit();
}

}  // namespace

extern constinit const VectorFormat kWord2vecTextFormat = {
    .name = "text",
    .extensions = kWord2vecExtensions,
    .summary = "word2vec text, as fastText's .vec; reads GloVe text, too",
    .refused_in_word = &RefusedByWord2vec,
    .recognises = &RecognisesWord2vec,
    .load = &Load<ReadWord2vecLayout>,
    .save = &SaveWord2vec,
    .describe = &Describe<ReadWord2vecLayout>,
};

extern constinit const VectorFormat kGloveFormat = {
    .name = "glove",
    .extensions = kGloveExtensions,
    .summary = "GloVe text, without a header",
    .refused_in_word = &RefusedByGlove,
    .recognises = &RecognisesGlove,
    .load = &Load<ReadGloveLayout>,
    .save = &SaveGlove,
    .describe = &Describe<ReadGloveLayout>,
};

}  // namespace firth
