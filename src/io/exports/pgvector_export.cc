// A script for psql that creates a table `words` with the extension pgvector,
// in one transaction. Rows are in COPY's text format: columns are separated by
// tabs, and backslashes, tabs and line ends are escaped with a backslash
// (postgresql.org/docs/current/sql-copy.html). A vector is "[0.5,-1]".
//
// Words have a hash index, because a B-tree cannot index more than 2,700 bytes.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/output_file.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"

namespace firth {
namespace {

const char* RefusedInPostgres(absl::string_view word) {
  if (absl::StrContains(word, '\0')) return "a NUL byte in a word";
  return FindInvalidUtf8(word) == absl::string_view::npos
             ? nullptr
             : "a word that is not UTF-8";
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

}  // namespace

extern constinit const ExportFormat kPgvectorExport = {
    .name = "pgvector",
    .extension = ".sql",
    .summary =
        "a script for psql that creates a table for PostgreSQL's pgvector",
    .most_dimensions = 16'000,
    .refused_in_word = &RefusedInPostgres,
    .write = &WritePgvector,
};

}  // namespace firth
