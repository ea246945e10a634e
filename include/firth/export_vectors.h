// Vectors for other tools: tables, databases, TensorBoard's projector. These
// forms are written only; firth/vector_io.h has those that are read, too.

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
  absl::string_view extension;  // with the dot; empty: a folder is written
  absl::string_view summary;    // one line for --help
  absl::Span<const absl::string_view> files;  // those in the folder
};
std::vector<ExportFormatInfo> ExportFormats();

// The format to write `path` in: `format` if not empty, else by extension.
// Errors: InvalidArgument, with the list of what exists.
absl::StatusOr<std::string> ChooseExportFormat(const std::string& path,
                                               absl::string_view format);

struct ExportReport {
  uint64_t words = 0;     // written
  uint64_t left_out = 0;  // words that the format cannot hold
};

// Writes the words with their counts, if they have any, and their vectors, in
// decimal digits that give back every bit, or as bytes. A file appears whole or
// not at all; a folder is made if there is none, and its files appear together.
// lossy: whether words that the format cannot hold are left out.
// Errors: Unimplemented, such words without `lossy`; InvalidArgument, a value
// that is not finite, more dimensions than a database takes; those of
// SaveVectorFile().
absl::StatusOr<ExportReport> ExportVectors(const WordVectors& vectors,
                                           const std::string& path,
                                           absl::string_view format,
                                           bool lossy = false);

}  // namespace firth

#endif  // FIRTH_EXPORT_VECTORS_H_
