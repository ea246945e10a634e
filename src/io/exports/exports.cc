// Forms in which vectors are written for other tools: for each, the words that
// it cannot store and a function that writes a file; the list of all; and the
// public functions that use them.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/errno_status.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/export_vectors.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

// The words to write, in order, with their vectors.
struct ExportedWords {
  const WordVectors& vectors;
  std::vector<WordId> ids;
  bool has_counts = false;

  // A word and its data to write.
  struct Row {
    size_t number;  // Counted from 0.
    absl::string_view word;
    uint64_t count;
    absl::Span<const float> vector;  // [dim]
  };
  // Errors: InvalidArgument, a value that is not finite.
  static absl::Status CheckFiniteRow(const Row& row) {
    const auto bad = absl::c_find_if(
        row.vector, [](float value) { return !std::isfinite(value); });
    if (bad == row.vector.end()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "value ", bad - row.vector.begin() + 1, " of word ", Quote(row.word),
        ": expected a finite number, found ", *bad));
  }

  // Calls write(row) for each word until a call fails. Errors: those of
  // write(), and InvalidArgument, a value that is not finite.
  template <class Write>
  absl::Status ForEach(const Write& write) const {
    std::vector<float> vector(vectors.dim());
    for (size_t i = 0; i < ids.size(); ++i) {
      vectors.CopyVector(ids[i], absl::MakeSpan(vector));
      const Vocabulary& vocabulary = vectors.vocabulary();
      const Row row = {i, vocabulary.Word(ids[i]), vocabulary.Count(ids[i]),
                       vector};
      absl::Status status = CheckFiniteRow(row);
      if (status.ok()) status = write(row);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
};

struct ExportFormat {
  absl::string_view name;
  absl::string_view extension;
  // Names of the files of a folder.
  absl::Span<const absl::string_view> files = {};
  absl::string_view summary;
  size_t most_dimensions;  // Maximum dimensions of a vector.
  // Returns what part of the word the format cannot store, such as "a line end
  // in a word", or null if it can store the word.
  const char* (*refused_in_word)(absl::string_view word);
  absl::Status (*write)(const ExportedWords& words, const std::string& path);
};

// Appends the values, separated by `separator`, each with the fewest digits
// that preserve every bit.
void AppendValues(absl::Span<const float> values, absl::string_view separator,
                  std::string* text) {
  char digits[32];
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) absl::StrAppend(text, separator);
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), values[i]).ptr;
    text->append(digits, end);
  }
}

// Comma-separated values according to RFC 4180: a header line
// "word,count,v1,v2,...", then one line per word. Lines end with CR LF. A field
// with a comma, a quote or a line end is quoted, and quotes in it are doubled.
// Without counts, their column is omitted.

std::string CsvField(absl::string_view text) {
  if (text.find_first_of("\",\r\n") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

const char* RefusedInCsv(absl::string_view word) {
  return word.find('\0') == absl::string_view::npos ? nullptr
                                                    : "a NUL byte in a word";
}

absl::Status WriteCsv(const ExportedWords& words, const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  std::string line = words.has_counts ? "word,count" : "word";
  for (size_t i = 1; i <= words.vectors.dim(); ++i) {
    absl::StrAppend(&line, ",v", i);
  }
  FIRTH_RETURN_IF_ERROR(file.Write(line + "\r\n"));
  FIRTH_RETURN_IF_ERROR(words.ForEach([&](const ExportedWords::Row& row) {
    line = CsvField(row.word) + ",";
    if (words.has_counts) absl::StrAppend(&line, row.count, ",");
    AppendValues(row.vector, ",", &line);
    return file.Write(line + "\r\n");
  }));
  return file.Commit();
}

constexpr ExportFormat kCsvExport = {
    .name = "csv",
    .extension = ".csv",
    .summary = "a table with a header, RFC 4180",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInCsv,
    .write = &WriteCsv,
};

// One JSON object per line: {"word":"king","count":12,"vector":[0.5,-1]}.
// Without counts, their member is omitted.

const char* RefusedInJson(absl::string_view word) {
  return FindInvalidUtf8(word) == absl::string_view::npos
             ? nullptr
             : "a word that is not UTF-8";
}

absl::Status WriteJsonLines(const ExportedWords& words,
                            const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(words.ForEach([&](const ExportedWords::Row& row) {
    std::string line =
        absl::StrCat("{\"word\":", DumpJson(Json(std::string(row.word))));
    if (words.has_counts) absl::StrAppend(&line, ",\"count\":", row.count);
    line += ",\"vector\":[";
    AppendValues(row.vector, ",", &line);
    return file.Write(line + "]}\n");
  }));
  return file.Commit();
}

constexpr ExportFormat kJsonLinesExport = {
    .name = "jsonl",
    .extension = ".jsonl",
    .summary = "one JSON object per line, with word, count and vector",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInJson,
    .write = &WriteJsonLines,
};

// A script for sqlite3 that creates a table `words` whose vectors are blobs of
// little-endian float32, as sqlite-vec's functions and its virtual tables vec0
// expect (alexgarcia.xyz/sqlite-vec). A script needs no library and can be read
// before it is run. One command turns it into a database.
//
// SQLite's parser does not accept NUL and invalid UTF-8 as text. Such a word is
// written as the text of its bytes: CAST(X'6100' AS TEXT).

static_assert(std::endian::native == std::endian::little,
              "blobs are floats as they are in memory");

const char* RefusedInSqlite(absl::string_view) { return nullptr; }

std::string SqlText(absl::string_view word) {
  if (absl::StrContains(word, '\0') ||
      FindInvalidUtf8(word) != absl::string_view::npos) {
    return absl::StrCat("CAST(X'", absl::BytesToHexString(word), "' AS TEXT)");
  }
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "''"}}), "'");
}

absl::Status WriteSqlite(const ExportedWords& words, const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  FIRTH_RETURN_IF_ERROR(file.Write(absl::StrCat(
      "BEGIN;\nCREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL "
      "UNIQUE, ",
      words.has_counts ? "count INTEGER, " : "", "vector BLOB NOT NULL);\n")));
  FIRTH_RETURN_IF_ERROR(words.ForEach([&](const ExportedWords::Row& row) {
    std::string line = absl::StrCat("INSERT INTO words VALUES(", row.number,
                                    ",", SqlText(row.word), ",");
    if (words.has_counts) absl::StrAppend(&line, row.count, ",");
    const absl::string_view bytes(
        reinterpret_cast<const char*>(row.vector.data()),
        row.vector.size() * sizeof(float));
    return file.Write(
        absl::StrCat(line, "X'", absl::BytesToHexString(bytes), "');\n"));
  }));
  FIRTH_RETURN_IF_ERROR(file.Write("COMMIT;\n"));
  return file.Commit();
}

constexpr ExportFormat kSqliteExport = {
    .name = "sqlite",
    .extension = ".sqlite.sql",
    .summary =
        "a script for sqlite3 that creates a table of blobs for sqlite-vec",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInSqlite,
    .write = &WriteSqlite,
};

// A script for psql that creates a table `words` with the extension pgvector,
// in one transaction. Rows are in COPY's text format: columns are separated by
// tabs, and backslashes, tabs and line ends are escaped with a backslash
// (postgresql.org/docs/current/sql-copy.html). A vector is "[0.5,-1]".
//
// Words have a hash index, because a B-tree cannot index more than 2,700 bytes.

const char* RefusedInPostgres(absl::string_view word) {
  const char* const nul = RefusedInCsv(word);
  return nul != nullptr ? nul : RefusedInJson(word);
}

std::string Escaped(absl::string_view word) {
  return absl::StrReplaceAll(
      word, {{"\\", "\\\\"}, {"\t", "\\t"}, {"\n", "\\n"}, {"\r", "\\r"}});
}

absl::Status WritePgvector(const ExportedWords& words,
                           const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  const char* const count_column = words.has_counts ? "count bigint, " : "";
  const char* const count_name = words.has_counts ? "count, " : "";
  FIRTH_RETURN_IF_ERROR(file.Write(absl::StrCat(
      "SET client_encoding TO 'UTF8';\nBEGIN;\n"
      "CREATE EXTENSION IF NOT EXISTS vector;\n"
      "CREATE TABLE words (id integer PRIMARY KEY, word text NOT NULL, ",
      count_column, "vector vector(", words.vectors.dim(),
      ") NOT NULL);\nCOPY words (id, word, ", count_name,
      "vector) FROM stdin;\n")));
  FIRTH_RETURN_IF_ERROR(words.ForEach([&](const ExportedWords::Row& row) {
    std::string line = absl::StrCat(row.number, "\t", Escaped(row.word), "\t");
    if (words.has_counts) absl::StrAppend(&line, row.count, "\t");
    line += "[";
    AppendValues(row.vector, ",", &line);
    return file.Write(line + "]\n");
  }));
  FIRTH_RETURN_IF_ERROR(
      file.Write("\\.\nCREATE INDEX ON words USING hash (word);\nCOMMIT;\n"));
  return file.Commit();
}

constexpr ExportFormat kPgvectorExport = {
    .name = "pgvector",
    .extension = ".sql",
    .summary =
        "a script for psql that creates a table for PostgreSQL's pgvector",
    .most_dimensions = 16'000,
    .refused_in_word = &RefusedInPostgres,
    .write = &WritePgvector,
};

// A folder for TensorBoard's projector, which opens it with --logdir; its two
// tables can also be loaded on projector.tensorflow.org:
//
//   vectors.tsv             the values of one word per line, separated by tabs
//   metadata.tsv            the words; with counts, under "word<TAB>count"
//   projector_config.pbtxt  the names of the two tables

constexpr absl::string_view kFiles[] = {"vectors.tsv", "metadata.tsv",
                                        "projector_config.pbtxt"};

constexpr absl::string_view kConfig =
    "embeddings {\n"
    "  tensor_path: \"vectors.tsv\"\n"
    "  metadata_path: \"metadata.tsv\"\n"
    "}\n";

const char* RefusedInTable(absl::string_view word) {
  const bool is_cell = word.find_first_of(absl::string_view("\t\r\n\0", 4)) ==
                       absl::string_view::npos;
  return is_cell ? nullptr : "a tab, a line end or a NUL byte in a word";
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return absl::OkStatus();
  return ErrnoStatus(error.value(), path, "making the folder");
}

absl::Status WriteProjector(const ExportedWords& words,
                            const std::string& path) {
  FIRTH_RETURN_IF_ERROR(MakeFolder(path));
  FIRTH_ASSIGN_OR_RETURN(OutputFile vectors, OutputFile::Create(absl::StrCat(
                                                 path, "/", kFiles[0])));
  FIRTH_ASSIGN_OR_RETURN(OutputFile metadata, OutputFile::Create(absl::StrCat(
                                                  path, "/", kFiles[1])));
  FIRTH_ASSIGN_OR_RETURN(OutputFile config, OutputFile::Create(absl::StrCat(
                                                path, "/", kFiles[2])));
  FIRTH_RETURN_IF_ERROR(config.Write(kConfig));
  // A table with one column has no header.
  if (words.has_counts) {
    FIRTH_RETURN_IF_ERROR(metadata.Write("word\tcount\n"));
  }
  FIRTH_RETURN_IF_ERROR(words.ForEach([&](const ExportedWords::Row& row) {
    std::string line;
    AppendValues(row.vector, "\t", &line);
    FIRTH_RETURN_IF_ERROR(vectors.Write(line + "\n"));
    const std::string count =
        words.has_counts ? absl::StrCat("\t", row.count) : "";
    return metadata.Write(absl::StrCat(row.word, count, "\n"));
  }));
  return OutputFile::CommitAll({&vectors, &metadata, &config});
}

constexpr ExportFormat kProjectorExport = {
    .name = "projector",
    .extension = "",
    .files = kFiles,
    .summary = "a folder for TensorBoard's projector",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInTable,
    .write = &WriteProjector,
};

// The first form whose extension the name has is used.
constexpr const ExportFormat* kExports[] = {&kCsvExport, &kJsonLinesExport,
                                            &kSqliteExport, &kPgvectorExport,
                                            &kProjectorExport};

std::string ListExports() {
  return absl::StrJoin(
      kExports, ", ", [](std::string* out, const ExportFormat* format) {
        absl::StrAppend(
            out, format->name, " (",
            format->extension.empty() ? "a folder" : format->extension, ")");
      });
}

absl::StatusOr<const ExportFormat*> FindExport(const std::string& path,
                                               absl::string_view name) {
  for (const ExportFormat* format : kExports) {
    if (name.empty() ? !format->extension.empty() &&
                           absl::EndsWithIgnoreCase(path, format->extension)
                     : format->name == name) {
      return format;
    }
  }
  return absl::InvalidArgumentError(
      name.empty() ? absl::StrCat(path,
                                  ": the name does not determine the format; "
                                  "give a format or an extension of ",
                                  ListExports())
                   : absl::StrCat("there is no format ", Quote(name),
                                  "; the formats are ", ListExports()));
}

const char* RefusedIn(const ExportFormat& format, absl::string_view word) {
  return word.empty() ? "an empty word" : format.refused_in_word(word);
}

// Returns the words that the format can store. Errors: Unimplemented, some
// words cannot be stored; InvalidArgument, no word can be stored.
absl::StatusOr<std::vector<WordId>> HeldWords(const WordVectors& vectors,
                                              const std::string& path,
                                              const ExportFormat& format,
                                              bool lossy) {
  std::vector<WordId> ids;
  std::optional<WordId> first_lost;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const WordId id = ToWordId(i);
    if (RefusedIn(format, vectors.vocabulary().Word(id)) == nullptr) {
      ids.push_back(id);
    } else if (!first_lost.has_value()) {
      first_lost = id;
    }
  }
  if (first_lost.has_value() && !lossy) {
    const absl::string_view word = vectors.vocabulary().Word(*first_lost);
    return absl::UnimplementedError(
        absl::StrCat(path, ": not written: ", format.name, " cannot hold ",
                     RefusedIn(format, word), "; this concerns ",
                     vectors.size() - ids.size(), " of ", vectors.size(),
                     " words, such as ", Quote(word)));
  }
  if (!ids.empty()) return ids;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": not written: ", format.name, " cannot hold any of the words"));
}

}  // namespace

std::vector<ExportFormatInfo> ExportFormats() {
  std::vector<ExportFormatInfo> infos;
  for (const ExportFormat* format : kExports) {
    infos.push_back(
        {format->name, format->extension, format->summary, format->files});
  }
  return infos;
}

absl::StatusOr<std::string> ChooseExportFormat(const std::string& path,
                                               absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const ExportFormat* chosen, FindExport(path, format));
  return std::string(chosen->name);
}

absl::StatusOr<ExportReport> ExportVectors(const WordVectors& vectors,
                                           const std::string& path,
                                           absl::string_view format,
                                           bool lossy) {
  FIRTH_ASSIGN_OR_RETURN(const ExportFormat* chosen, FindExport(path, format));
  if (vectors.dim() > chosen->most_dimensions) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not written: ", chosen->name, " supports at most ",
        chosen->most_dimensions, " dimensions, found ", vectors.dim()));
  }
  ExportedWords words{vectors, {}, vectors.vocabulary().total_count() > 0};
  FIRTH_ASSIGN_OR_RETURN(words.ids, HeldWords(vectors, path, *chosen, lossy));
  const absl::Status status = chosen->write(words, path);
  if (absl::IsInvalidArgument(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not written: ", status.message()));
  }
  FIRTH_RETURN_IF_ERROR(status);
  return ExportReport{words.ids.size(), vectors.size() - words.ids.size()};
}

}  // namespace firth
