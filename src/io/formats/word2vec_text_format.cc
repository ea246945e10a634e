// Text, a line a word. In word2vec's format, which fastText's .vec files have,
// too, a header stands before; GloVe writes none, and the number of values is
// that of line 1:
//
//   +-----------------------------------+
//   | words SP dim LF                   |  word2vec only
//   +-----------------------------------+
//   | word SP value SP ... SP value LF  |  row 0, dim values in decimal digits
//   | word SP value SP ... SP value LF  |
//   | ...                               |
//   +-----------------------------------+
//
// A byte order mark at the start belongs to no word.
//
// Words may hold spaces, since values are taken from the end of the line. After
// a word that ends in a number ("Boeing 747") word2vec's format has a tab
// instead of a space, so that the number is not taken for a value too many.
// Programs that split lines at spaces read neither kind of words.
//
// A first line of exactly two integers is a header. (A file without header, of
// one dimension, whose first word and value are integers, reads as one unless
// it is said to be GloVe's.) A cut exactly at a line end shows by the header,
// which is worth a warning, and without header not at all. See text_table.h.

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
  uint64_t blank_lines = 0;  // before it

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
  // A word of one field may look like anything; the end of a longer one may be
  // a value, as in "word 1, 2".
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

// Whether a tab separates the word from its values.
bool EndsInNumber(absl::string_view word) { return CountValues(word) > 0; }

// Of words that ParseTextRow() would not give back as they are.
const char* RefusedByBoth(absl::string_view word) {
  constexpr absl::string_view kSeparators = " \t";
  const size_t last = word.find_last_of(kSeparators);
  if (absl::StrContains(word, '\n')) return "a line end in a word";
  if (last == word.npos) return nullptr;
  const bool at_edge = kSeparators.find(word.front()) != kSeparators.npos ||
                       last == word.size() - 1;
  return at_edge ? "a space at the beginning or end of a word" : nullptr;
}

// The tab must be the only one of its line.
const char* RefusedByWord2vec(absl::string_view word) {
  if (const char* const why = RefusedByBoth(word)) return why;
  return absl::StrContains(word, '\t') && EndsInNumber(word)
             ? "a word with a tab that ends in a number"
             : nullptr;
}

// The number of values comes from the first line, where the tab has no meaning.
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

// A number and an integer value must not look like a header, and a reader
// drops a byte order mark.
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
