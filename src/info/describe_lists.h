// Lists in text: words, and phrases.

#ifndef FIRTH_INFO_DESCRIBE_LISTS_H_
#define FIRTH_INFO_DESCRIBE_LISTS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

// A word a line, with counts or without, as "firth vocab" writes them. Nothing
// if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeWordList(
    const MappedFilePtr& file);

// A phrase, its count and its score a line, with tabs between them, as "firth
// phrases --list" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribePhraseList(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_INFO_DESCRIBE_LISTS_H_
