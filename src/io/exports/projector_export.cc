// A folder for TensorBoard's projector, which opens it with --logdir; its two
// tables can also be loaded on projector.tensorflow.org:
//
//   vectors.tsv             the values of one word per line, separated by tabs
//   metadata.tsv            the words; with counts, under "word<TAB>count"
//   projector_config.pbtxt  the names of the two tables

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/output_file.h"
#include "firth/status_macros.h"
#include "io/exports/export_format.h"

namespace firth {
namespace {

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

}  // namespace

extern constinit const ExportFormat kProjectorExport = {
    .name = "projector",
    .extension = "",
    .files = kFiles,
    .summary = "a folder for TensorBoard's projector",
    .most_dimensions = SIZE_MAX,
    .refused_in_word = &RefusedInTable,
    .write = &WriteProjector,
};

}  // namespace firth
