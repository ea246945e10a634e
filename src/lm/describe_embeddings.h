// What the files of firth/embedding_file.h hold.

#ifndef FIRTH_LM_DESCRIBE_EMBEDDINGS_H_
#define FIRTH_LM_DESCRIBE_EMBEDDINGS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

// Nothing if the file is none of that format. An array of NumPy's is one if
// there is a file of offsets beside it. Errors: those of reading.
absl::StatusOr<std::optional<FileInfo>> DescribeHdf5Embeddings(
    const MappedFilePtr& file);
absl::StatusOr<std::optional<FileInfo>> DescribeNpyEmbeddings(
    const MappedFilePtr& file);
absl::StatusOr<std::optional<FileInfo>> DescribeSafetensorsEmbeddings(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_DESCRIBE_EMBEDDINGS_H_
