// One JSON object per line: {"word":"king","count":12,"vector":[0.5,-1]}.
// Without counts, their member is omitted.

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

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

}  // namespace

extern constinit const ExportFormat kJsonLinesExport = {
    .name = "jsonl",
    .extension = ".jsonl",
    .summary = "one JSON object per line, with word, count and vector",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInJson,
    .write = &WriteJsonLines,
};

}  // namespace firth
