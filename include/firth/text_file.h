// Writes small text files for the user, such as reports.

#ifndef FIRTH_TEXT_FILE_H_
#define FIRTH_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Replaces the content of `path` by `text`. The file appears whole or not at
// all, and keeps the mode of the file it replaces. Anything but a regular file,
// such as /dev/stdout, is written directly.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

// Checks whether a file can be created at `path`, that is, whether its folder
// exists and is writable. Call it before hours of work.
absl::Status CheckWritable(const std::string& path);

}  // namespace firth

#endif  // FIRTH_TEXT_FILE_H_
