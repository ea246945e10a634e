// Descriptions of the files of firth/embedding_file.h.

#ifndef FIRTH_LM_DESCRIBE_EMBEDDINGS_H_
#define FIRTH_LM_DESCRIBE_EMBEDDINGS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

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

#endif  // FIRTH_LM_DESCRIBE_EMBEDDINGS_H_
