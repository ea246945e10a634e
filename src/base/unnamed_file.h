// Temporary files that have no name: they vanish however the program ends.

#ifndef FIRTH_BASE_UNNAMED_FILE_H_
#define FIRTH_BASE_UNNAMED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Chooses where temporary files go: `folder` if not empty, else $TMPDIR, else
// /tmp.
std::string TempFolder(std::string folder);

// The descriptor of a new file in `folder`, to read and to write; the caller
// closes it.
absl::StatusOr<int> OpenUnnamed(const std::string& folder);

// Appends the bytes by write(), so that a full disk is an error here and not a
// signal later. `folder` stands in messages. Errors: ResourceExhausted, others
// of the system.
absl::Status WriteUnnamed(int fd, absl::string_view bytes,
                          const std::string& folder);

}  // namespace firth

#endif  // FIRTH_BASE_UNNAMED_FILE_H_
