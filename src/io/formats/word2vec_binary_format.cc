// word2vec binary:
//
//   +-------------------------+
//   | words SP dim LF         |  both numbers in decimal digits
//   +-------------------------+
//   | word SP | dim f32 | LF  |  row 0, its values little-endian
//   | word SP | dim f32 | LF  |  row 1, unaligned after row 0
//   | ...                     |
//   +-------------------------+
//
// Some writers omit the last '\n' (GoogleNews, gensim), so a '\n' before a word
// is not part of it. Words consist of any bytes but space and '\n'. gensim
// writes rows with empty words, which are skipped with a warning. The file must
// end after the last row, and if the second row follows a '\n', the last row
// must end in one. A file of two rows or more that is truncated at any byte is
// therefore detected.

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/vector_format.h"
#include "io/formats/word2vec_header.h"

namespace firth {
namespace {

constexpr absl::string_view kExtensions[] = {".bin"};

absl::Status Corrupt(const MappedFile& file, uint64_t offset,
                     absl::string_view message) {
  return absl::DataLossError(
      absl::StrCat(file.path(), ": byte ", offset, ": ", message));
}

absl::StatusOr<Word2vecHeader> ReadHeader(const MappedFile& file) {
  const auto header = ParseWord2vecHeader(file.bytes());
  if (!header.has_value() || file.data()[header->bytes - 1] != '\n') {
    return Corrupt(file, 0,
                   absl::StrCat("expected a line \"<words> <dim>\", found ",
                                DescribeContent(file.bytes())));
  }
  if (header->dim == 0) {
    return Corrupt(file, 0, "expected a dimension above 0, found 0");
  }
  // A row takes a space in addition to its values.
  FIRTH_RETURN_IF_ERROR(CheckPromisedSize(
      absl::StatusCode::kDataLoss, file.path(), header->words, header->dim,
      sizeof(float), 1, file.size() - header->bytes));
  return *header;
}

// Iterates over rows without reading the values.
class RowWalker {
 public:
  RowWalker(const MappedFile& file, const Word2vecHeader& header)
      : file_(file),
        row_bytes_(header.dim * sizeof(float)),
        rest_(file.bytes().substr(header.bytes)) {}

  // Returns the word of the next row. Its values begin one byte after it.
  absl::StatusOr<absl::string_view> Next() {
    rows_end_in_newline_ = SkipNewline();
    const size_t space = rest_.find(' ');
    if (space == rest_.npos || rest_.size() - space - 1 < row_bytes_) {
      return Corrupt(
          file_, Offset(),
          absl::StrCat("expected row ", row_, ", a word, a space and ",
                       row_bytes_, " bytes, found ", rest_.size(),
                       " bytes up to the end of the file"));
    }
    const absl::string_view word = rest_.substr(0, space);
    if (word.find('\n') != word.npos) {
      return Corrupt(file_, Offset(),
                     absl::StrCat("expected the word of row ", row_, ", found ",
                                  Quote(rest_.substr(0, space + 1))));
    }
    rest_.remove_prefix(space + 1 + row_bytes_);
    ++row_;
    return word;
  }

  absl::Status CheckEnd() {
    const bool expects_newline = row_ > 1 && rows_end_in_newline_;
    if (!SkipNewline() && expects_newline) {
      return Corrupt(file_, Offset(),
                     "expected a line end after the last row, as after the "
                     "others, found the end of the file or another byte");
    }
    if (rest_.empty()) return absl::OkStatus();
    return Corrupt(file_, Offset(),
                   absl::StrCat("expected the end of the file after row ",
                                row_ - 1, ", found ", rest_.size(), " bytes"));
  }

 private:
  uint64_t Offset() const { return file_.size() - rest_.size(); }

  bool SkipNewline() {
    if (rest_.empty() || rest_.front() != '\n') return false;
    rest_.remove_prefix(1);
    return true;
  }

  const MappedFile& file_;
  const size_t row_bytes_;
  absl::string_view rest_;
  size_t row_ = 0;
  // Whether the previous row ends in a '\n'.
  bool rows_end_in_newline_ = false;
};

// Numbers the rows that are kept, and warns about those that are skipped.
void LeaveOutNoWords(const std::vector<uint64_t>& no_word, uint64_t promised,
                     VectorRows* rows) {
  if (no_word.empty()) return;
  auto next = no_word.begin();
  for (uint64_t row = 0; row < promised; ++row) {
    if (next != no_word.end() && *next == row) {
      ++next;
    } else {
      rows->numbers.push_back(row);
    }
  }
  rows->warnings.push_back(
      LeftOutWarning(rows->place, no_word,
                     "left out an empty word, which a vocabulary cannot hold"));
}

absl::StatusOr<VectorRows> ReadRows(const MappedFile& file,
                                    const Word2vecHeader& header,
                                    const Hooks& hooks) {
  VectorRows rows;
  rows.place = absl::StrCat(file.path(), ": row ");
  rows.words.reserve(header.words);
  RowWalker walker(file, header);
  std::vector<uint64_t> no_word;
  for (uint64_t row = 0; row < header.words; ++row) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    FIRTH_ASSIGN_OR_RETURN(absl::string_view word, walker.Next());
    if (word.empty()) {
      no_word.push_back(row);
    } else {
      rows.words.push_back(word);
    }
  }
  FIRTH_RETURN_IF_ERROR(walker.CheckEnd());
  LeaveOutNoWords(no_word, header.words, &rows);
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix table,
      AllocateTable(file.path(), rows.words.size(), header.dim));
#pragma omp parallel for schedule( \
    static) if (IsWorthThreads(rows.words.size() * header.dim))
  for (size_t row = 0; row < rows.words.size(); ++row) {
    if (hooks.StopRequested()) continue;
    const absl::string_view word = rows.words[row];
    std::memcpy(table.Row(row), word.data() + word.size() + 1,
                header.dim * sizeof(float));
  }
  rows.table = std::move(table);
  return rows;
}

bool Recognises(absl::string_view head, absl::string_view path) {
  const auto header = ParseWord2vecHeader(head);
  return header.has_value() && !RowsAreText(*header, head, path);
}

const char* RefusedInWord(absl::string_view word) {
  return word.find_first_of(" \n") == word.npos
             ? nullptr
             : "a space or a line end in a word";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const Word2vecHeader header, ReadHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(VectorRows rows,
                         ReadRows(*file, header, options.hooks));
  ReportWarnings(rows, options.hooks);
  return AssembleFile(std::move(rows), options.duplicates, options.lazily);
}

absl::Status Save(const VectorFile& file, const SubwordTables*,
                  const std::string& path, const Hooks& hooks) {
  const WordVectors& vectors = file.vectors;
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(
      out.Write(absl::StrCat(vectors.size(), " ", vectors.dim(), "\n")));
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId word = ToWordId(i);
    FIRTH_RETURN_IF_ERROR(out.Write(vectors.vocabulary().Word(word)));
    FIRTH_RETURN_IF_ERROR(out.Write(" "));
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(vectors.Vector(word))));
    FIRTH_RETURN_IF_ERROR(out.Write("\n"));
  }
  return out.Commit();
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const Word2vecHeader header, ReadHeader(*file));
  VectorFileInfo info;
  info.words = header.words;
  info.dim = header.dim;
  return info;
}

}  // namespace

extern constinit const VectorFormat kWord2vecBinaryFormat = {
    .name = "bin",
    .extensions = kExtensions,
    .summary = "word2vec binary, as in gensim and GoogleNews",
    .refused_in_word = &RefusedInWord,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth
