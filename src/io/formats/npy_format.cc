// NumPy's .npy: one array [words, dim] that np.load() reads. The words are in a
// second file with the same name and the extension .vocab, one per line, with
// their counts if these are known:
//
//   x.npy                                        x.vocab
//   +---------------------------------------+    +-----------------+
//   | header: "<f4", shape (V, dim)         |    | the 1061396 LF  |
//   +---------------------------------------+    | of 593677 LF    |
//   | V * dim f32, little-endian, by rows   |    | ...             |
//   +---------------------------------------+    +-----------------+
//
// For the header see tensors/npy_header.h. Arrays of f64 can be read, too.
//
// Both files are written and synced before either is renamed. Only between the
// two renames can they be inconsistent.

#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/vector_format.h"
#include "io/tensors/npy_header.h"
#include "vocab/word_lines.h"

namespace firth {

extern const VectorFormat kNpyFormat;

namespace {

constexpr absl::string_view kExtensions[] = {".npy"};

std::string WordsPath(const std::string& path) {
  return FileBeside(kNpyFormat, path);
}

absl::StatusOr<FloatTable> ReadDoubles(const MappedFile& file,
                                       const NpyHeader& header) {
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file.path(), header.rows, header.cols));
  const char* const data = file.data() + header.data_begin;
#pragma omp parallel for schedule( \
    static) if (IsWorthThreads(header.rows * header.cols))
  for (size_t row = 0; row < header.rows; ++row) {
    for (size_t col = 0; col < header.cols; ++col) {
      double value;
      std::memcpy(&value, data + (row * header.cols + col) * sizeof(value),
                  sizeof(value));
      table.Row(row)[col] = static_cast<float>(value);
    }
  }
  return table;
}

absl::StatusOr<VectorRows> ReadRows(const MappedFilePtr& file,
                                    const NpyHeader& header,
                                    const MappedFile& words_file) {
  FIRTH_ASSIGN_OR_RETURN(WordLines lines, ParseWordLines(words_file));
  if (lines.words.size() != header.rows) {
    return absl::InvalidArgumentError(
        absl::StrCat(words_file.path(), ": expected ", header.rows,
                     " words, one for each row of ", file->path(), ", found ",
                     lines.words.size()));
  }
  VectorRows rows;
  rows.words = std::move(lines.words);
  rows.counts = std::move(lines.counts);
  rows.place = absl::StrCat(words_file.path(), ":");
  rows.first = 1;
  if (words_file.size() > 0 && words_file.bytes().back() != '\n') {
    rows.warnings.push_back(
        absl::StrCat(rows.place, header.rows,
                     ": no line end after the last line; if the file was cut "
                     "off there, its last word or count is wrong"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      rows.table,
      header.value_bytes == sizeof(double)
          ? ReadDoubles(*file, header)
          : TableInFile(file, header.data_begin, header.rows, header.cols));
  return rows;
}

absl::Status WriteArray(const FloatTable& table, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(
      out.Write(MakeNpyHeader("<f4", {table.rows(), table.cols()})));
  return WriteTable(table, out);
}

bool Recognises(absl::string_view head, absl::string_view) {
  return absl::StartsWith(head, kNpyMagic);
}

const char* RefusedInWord(absl::string_view word) {
  return IsWordOfLine(word) ? nullptr : "white space in a word";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr words_file,
                         MappedFile::Open(WordsPath(file->path())));
  FIRTH_ASSIGN_OR_RETURN(VectorRows rows, ReadRows(file, header, *words_file));
  ReportWarnings(rows, options.hooks);
  return AssembleFile(std::move(rows), options.duplicates, options.lazily);
}

absl::Status Save(const VectorFile& file, const SubwordTables*,
                  const std::string& path, const Hooks& hooks) {
  const std::string words_path = WordsPath(path);
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_ASSIGN_OR_RETURN(OutputFile words_out,
                         OutputFile::Create(words_path, hooks));
  FIRTH_RETURN_IF_ERROR(
      WriteWordLines(file.vectors.vocabulary(), words_path, words_out));
  FIRTH_RETURN_IF_ERROR(WriteArray(file.vectors.table(), out));
  return OutputFile::CommitAll({&words_out, &out});
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(*file));
  VectorFileInfo info;
  info.words = header.rows;
  info.dim = header.cols;
  const auto words_file = MappedFile::Open(WordsPath(file->path()));
  // An array without words can still be described.
  if (!words_file.ok()) return info;
  const auto lines = ParseWordLines(**words_file);
  info.has_counts = lines.ok() && !lines->counts.empty();
  return info;
}

}  // namespace

extern constinit const VectorFormat kNpyFormat = {
    .name = "npy",
    .extensions = kExtensions,
    .summary = "NumPy array, with its words in FILE.vocab",
    .holds_counts = true,
    .refused_in_word = &RefusedInWord,
    .words_extension = ".vocab",
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

absl::Status SaveNpyArray(const FloatTable& table, const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(WriteArray(table, out));
  return out.Commit();
}

}  // namespace firth
