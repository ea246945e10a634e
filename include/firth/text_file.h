// Reads whole texts, and writes small text files such as reports.

#ifndef FIRTH_TEXT_FILE_H_
#define FIRTH_TEXT_FILE_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns a whole text: that of a file or, for "-", of standard input,
// compressed (gzip, bzip2, xz, zstd) or not. Waiting for a pipe ends with
// Cancelled if *stop (may be null) becomes true. Errors: NotFound,
// PermissionDenied, InvalidArgument (not text), DataLoss (corrupt or cut off).
absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const std::atomic<bool>* stop = nullptr);

// Replaces the content of `path` by `text`. The file appears whole or not at
// all, and keeps the mode of the file it replaces. Anything but a regular file,
// such as /dev/stdout, is written directly.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

// Checks whether a file can be created at `path`, that is, whether its folder
// exists and is writable. Call it before hours of work.
absl::Status CheckWritable(const std::string& path);

}  // namespace firth

#endif  // FIRTH_TEXT_FILE_H_
