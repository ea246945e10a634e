// Lists in text: words, phrases, and tables of numbers.

#ifndef FIRTH_INFO_DESCRIBE_LISTS_H_
#define FIRTH_INFO_DESCRIBE_LISTS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

// Each returns nothing if the file is none.

// Rows of a name and two numbers or more, separated by commas, which may come
// after a line of column names, as "firth export" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribeCsv(const MappedFilePtr& file);

// A word a line, with counts or without, as "firth vocab" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribeWordList(
    const MappedFilePtr& file);

// A phrase, its count and its score a line, with tabs between them, as "firth
// phrases --list" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribePhraseList(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_INFO_DESCRIBE_LISTS_H_
