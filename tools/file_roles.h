// Which files a command reads and writes.

#ifndef FIRTH_TOOLS_FILE_ROLES_H_
#define FIRTH_TOOLS_FILE_ROLES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace firth::tools {

// An option and the path it names, which may be empty.
using FileRole = std::pair<std::string, std::string>;

// Fails when a file would be written over one that is read or written too.
// Errors: InvalidArgument, with both options.
absl::Status CheckDifferentFiles(std::vector<FileRole> read,
                                 const std::vector<FileRole>& written);

// Hours of work must not end at a folder that cannot be written to. "-" and the
// empty path are passed over.
absl::Status CheckAllWritable(const std::vector<FileRole>& written);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_FILE_ROLES_H_
