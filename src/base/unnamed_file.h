// Temporary files without a name, which disappear however the program ends.

#ifndef FIRTH_BASE_UNNAMED_FILE_H_
#define FIRTH_BASE_UNNAMED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns the folder for temporary files: `folder` if it is not empty,
// otherwise $TMPDIR, otherwise /tmp.
std::string TempFolder(std::string folder);

// Returns the descriptor of a new file in `folder`, open for reading and
// writing. The caller must close it.
absl::StatusOr<int> OpenUnnamed(const std::string& folder);

// Appends the bytes with write(), so that a full disk is an error here and not
// a signal later. `folder` is used in messages. Errors: ResourceExhausted,
// other errors of the system.
absl::Status WriteUnnamed(int fd, absl::string_view bytes,
                          const std::string& folder);

}  // namespace firth

#endif  // FIRTH_BASE_UNNAMED_FILE_H_
