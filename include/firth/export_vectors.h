// Exports vectors to other tools: tables, databases, TensorBoard's projector.
// These formats can only be written; firth/vector_io.h has those that can be
// read.

#ifndef FIRTH_EXPORT_VECTORS_H_
#define FIRTH_EXPORT_VECTORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

struct ExportFormatInfo {
  absl::string_view name;
  // With the dot; empty if the format is a folder.
  absl::string_view extension;
  absl::string_view summary;                  // One line for --help.
  absl::Span<const absl::string_view> files;  // The files in the folder.
};
std::vector<ExportFormatInfo> ExportFormats();

// Returns the format to write `path` in: `format` if it is not empty, otherwise
// the format of the extension. Errors: InvalidArgument, with a list of all
// formats.
absl::StatusOr<std::string> ChooseExportFormat(const std::string& path,
                                               absl::string_view format);

struct ExportReport {
  uint64_t words = 0;     // Words written.
  uint64_t left_out = 0;  // Words that the format cannot hold.
};

// Writes the words, their counts if known, and their vectors, as decimal
// numbers that restore every bit, or as bytes. A file appears whole or not at
// all. A folder is created if missing, and its files appear together. With
// `lossy`, words that the format cannot hold are left out. Errors:
// Unimplemented, such words without `lossy`; InvalidArgument, a value that is
// not finite, or more dimensions than the database supports; errors of
// SaveVectorFile().
absl::StatusOr<ExportReport> ExportVectors(const WordVectors& vectors,
                                           const std::string& path,
                                           absl::string_view format,
                                           bool lossy = false);

}  // namespace firth

#endif  // FIRTH_EXPORT_VECTORS_H_
