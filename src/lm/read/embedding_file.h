// Names that are used in the files of firth/embedding_file.h.

#ifndef FIRTH_LM_READ_EMBEDDING_FILE_H_
#define FIRTH_LM_READ_EMBEDDING_FILE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

// Metadata of a .safetensors file, and its tensors.
inline constexpr char kFormatKey[] = "format";
inline constexpr char kEmbeddingsFormat[] = "firth-embeddings";
inline constexpr char kEmbeddingsTensor[] = "embeddings";
inline constexpr char kOffsetsTensor[] = "offsets";

// Returns the path of the file of offsets for the array at `path`.
inline std::string OffsetsPath(absl::string_view path) {
  return absl::StrCat(absl::StripSuffix(path, ".npy"), ".offsets.npy");
}

// Descriptions of the files of firth/embedding_file.h.

// Describe a file for DescribeFile(). Return nothing if the file does not have
// the format. An array of NumPy has it if there is a file of offsets next to
// it. Errors: those of reading.
absl::StatusOr<std::optional<FileInfo>> DescribeHdf5Embeddings(
    const MappedFilePtr& file);
absl::StatusOr<std::optional<FileInfo>> DescribeNpyEmbeddings(
    const MappedFilePtr& file);
absl::StatusOr<std::optional<FileInfo>> DescribeSafetensorsEmbeddings(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_READ_EMBEDDING_FILE_H_
