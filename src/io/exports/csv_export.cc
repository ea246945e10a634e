// Comma-separated values according to RFC 4180: a header line
// "word,count,v1,v2,...", then one line per word. Lines end with CR LF. A field
// with a comma, a quote or a line end is quoted, and quotes in it are doubled.
// Without counts, their column is omitted.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"

namespace firth {
namespace {

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

}  // namespace

extern constinit const ExportFormat kCsvExport = {
    .name = "csv",
    .extension = ".csv",
    .summary = "a table with a header, RFC 4180",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInCsv,
    .write = &WriteCsv,
};

}  // namespace firth
