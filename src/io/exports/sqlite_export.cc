// A script for sqlite3 that creates a table `words` whose vectors are blobs of
// little-endian float32, as sqlite-vec's functions and its virtual tables vec0
// expect (alexgarcia.xyz/sqlite-vec). A script needs no library and can be read
// before it is run. One command turns it into a database.
//
// SQLite's parser does not accept NUL and invalid UTF-8 as text. Such a word is
// written as the text of its bytes: CAST(X'6100' AS TEXT).

#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/output_file.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"

namespace firth {
namespace {

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

}  // namespace

extern constinit const ExportFormat kSqliteExport = {
    .name = "sqlite",
    .extension = ".sqlite.sql",
    .summary =
        "a script for sqlite3 that creates a table of blobs for sqlite-vec",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInSqlite,
    .write = &WriteSqlite,
};

}  // namespace firth
