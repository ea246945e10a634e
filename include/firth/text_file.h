// Small text files that a program writes for the user, such as reports.

#ifndef FIRTH_TEXT_FILE_H_
#define FIRTH_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Replaces `path` by `text`: the file appears whole or not at all, and has the
// mode of the one it replaces. What is no regular file, such as /dev/stdout, is
// written directly.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

// Whether a file can be created at `path`: its folder exists and can be written
// to. To be asked before hours of work.
absl::Status CheckWritable(const std::string& path);

}  // namespace firth

#endif  // FIRTH_TEXT_FILE_H_
