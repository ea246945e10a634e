// floret's text (explosion/floret), which spaCy and finalfusion read. It
// contains no words, only rows of n-grams from which the vectors of all words
// are computed:
//
//   +-------------------------------------------------------+
//   | buckets dim min_n max_n hashes seed begin end LF      |
//   +-------------------------------------------------------+
//   | 0 value ... value LF                                  |
//   | 1 value ... value LF                                  |
//   | ...                      as many rows as buckets      |
//   +-------------------------------------------------------+
//
// Fields are separated by a space; begin and end are the marks around a word.
//
// See FloretSubwords in firth/subwords.h, and text_table.h for the rows.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/matrix.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/text_table.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/vector_format.h"

namespace firth {
namespace {

constexpr absl::string_view kExtensions[] = {".floret"};

constexpr size_t kMostHeaderBytes = 4096;
constexpr size_t kNumbers = 6;

struct FloretHeader {
  uint64_t dim = 0;
  FloretSubwords options;
  size_t bytes = 0;  // Length of the line, including its end.
};

// Returns nothing unless the file starts with six numbers, two marks that are
// not numbers, and a line end. Numbers that are too large become 2^32 - 1.
std::optional<FloretHeader> ParseHeader(absl::string_view bytes) {
  const size_t end = bytes.substr(0, kMostHeaderBytes).find('\n');
  if (end == bytes.npos) return std::nullopt;
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::StripTrailingAsciiWhitespace(bytes.substr(0, end)),
                     absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (fields.size() != kNumbers + 2) return std::nullopt;
  uint32_t numbers[kNumbers] = {};
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_number =
        fields[i].find_first_not_of("0123456789") == absl::string_view::npos;
    if (is_number != (i < kNumbers)) return std::nullopt;
    // SimpleAtoi() sets a number that is too large to the maximum.
    if (is_number) (void)absl::SimpleAtoi(fields[i], &numbers[i]);
  }
  const auto small = [](uint32_t number) {
    return static_cast<int>(
        std::min<uint32_t>(number, std::numeric_limits<int>::max()));
  };
  FloretHeader header;
  header.dim = numbers[1];
  header.bytes = end + 1;
  header.options = {.min_n = small(numbers[2]),
                    .max_n = small(numbers[3]),
                    .buckets = numbers[0],
                    .hashes = small(numbers[4]),
                    .seed = numbers[5],
                    .word_begin = std::string(fields[kNumbers]),
                    .word_end = std::string(fields[kNumbers + 1])};
  return header;
}

absl::StatusOr<FloretHeader> ReadHeader(const MappedFile& file) {
  const std::optional<FloretHeader> header = ParseHeader(file.bytes());
  if (!header.has_value()) {
    return BadLine(
        file.path(), 1,
        absl::StrCat("expected \"<buckets> <dim> <min n> <max n> "
                     "<hashes> <seed> <begin> <end>\", found ",
                     Quote(file.bytes().substr(0, file.bytes().find('\n')))));
  }
  if (header->dim == 0) {
    return BadLine(file.path(), 1, "expected a dimension above 0, found 0");
  }
  const absl::Status status = Validate(header->options);
  if (!status.ok()) return BadLine(file.path(), 1, status.message());
  return *header;
}

TextLayout LayoutOf(const FloretHeader& header) {
  return {true, header.options.buckets, header.dim, header.bytes};
}

// Checks that the rows are numbered in order.
absl::Status CheckNumbers(const MappedFile& file, const VectorRows& rows) {
  for (size_t row = 0; row < rows.words.size(); ++row) {
    uint64_t number;
    if (absl::SimpleAtoi(rows.words[row], &number) && number == row) continue;
    return BadLine(
        file.path(), rows.NumberOf(row),
        absl::StrCat("expected row ", row, ", found ", Quote(rows.words[row])));
  }
  return absl::OkStatus();
}

absl::Status CheckFinite(const MappedFile& file, const VectorRows& rows,
                         const FloatTable& table) {
  const std::optional<TablePosition> bad = FindNotFinite(table);
  if (!bad.has_value()) return absl::OkStatus();
  return BadLine(
      file.path(), rows.NumberOf(bad->row),
      absl::StrCat("value ", bad->col + 1, ": expected a finite number, found ",
                   table.Row(bad->row)[bad->col]));
}

bool IsFloret(const SubwordOptions& options) {
  return std::holds_alternative<FloretSubwords>(options);
}

// Returns whether a header can store the mark as one of its fields.
bool IsMark(absl::string_view mark) {
  return mark.find_first_of(" \t\n\r\v\f") == mark.npos &&
         mark.find_first_not_of("0123456789") != mark.npos;
}

bool Recognises(absl::string_view head, absl::string_view) {
  return ParseHeader(head).has_value();
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const FloretHeader header, ReadHeader(*file));
  FIRTH_RETURN_IF_ERROR(CheckTextRoom(*file, LayoutOf(header)));
  FIRTH_ASSIGN_OR_RETURN(const VectorRows rows,
                         ReadTextRows(*file, LayoutOf(header), options.hooks));
  // The files are written by programs, so a last line without its end means
  // that the file is truncated.
  if (file->bytes().back() != '\n') {
    return BadLine(file->path(), rows.first + rows.words.size() - 1,
                   "expected a line end after the last line, found the end of "
                   "the file; the file is cut off");
  }
  if (rows.words.size() != header.options.buckets) {
    return BadLine(file->path(), 1,
                   absl::StrCat("the header promises ", header.options.buckets,
                                " rows, found ", rows.words.size()));
  }
  ReportWarnings(rows, options.hooks);
  FIRTH_RETURN_IF_ERROR(CheckNumbers(*file, rows));
  FIRTH_ASSIGN_OR_RETURN(const FloatTable table, ToFloatTable(rows.table));
  FIRTH_RETURN_IF_ERROR(CheckFinite(*file, rows, table));
  SubwordTables subwords;
  FIRTH_ASSIGN_OR_RETURN(subwords.index,
                         SubwordIndex::OfFloret(header.options));
  subwords.n_grams = table;
  VectorFile loaded;
  FIRTH_ASSIGN_OR_RETURN(
      loaded.vectors,
      WordVectors::Create(Vocabulary(), Matrix<float>(0, header.dim),
                          std::move(subwords)));
  return loaded;
}

absl::Status Save(const VectorFile& file, const SubwordTables* subwords,
                  const std::string& path, const Hooks& hooks) {
  if (subwords == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": not written: the floret format holds only floret's "
                     "n-grams, which this model does not have"));
  }
  const auto& options = std::get<FloretSubwords>(subwords->index.options());
  if (!IsMark(options.word_begin) || !IsMark(options.word_end)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not written: floret cannot hold the word boundary marks ",
        Quote(options.word_begin), " and ", Quote(options.word_end)));
  }
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(out.Write(
      absl::StrCat(options.buckets, " ", file.vectors.dim(), " ", options.min_n,
                   " ", options.max_n, " ", options.hashes, " ", options.seed,
                   " ", options.word_begin, " ", options.word_end, "\n")));
  FIRTH_RETURN_IF_ERROR(WriteTextRows(
      subwords->n_grams, 0,
      [](size_t row, std::string* text) {
        absl::StrAppend(text, row);
        return ' ';
      },
      out));
  return out.Commit();
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const FloretHeader header, ReadHeader(*file));
  VectorFileInfo info;
  info.dim = header.dim;
  info.has_subwords = true;
  return info;
}

}  // namespace

extern constinit const VectorFormat kFloretFormat = {
    .name = "floret",
    .extensions = kExtensions,
    .summary = "floret text, for spaCy; has n-grams but no words",
    .holds_words = false,
    .holds_subwords = &IsFloret,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth
