// Converts a failed system call to a Status.

#ifndef FIRTH_BASE_ERRNO_STATUS_H_
#define FIRTH_BASE_ERRNO_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns "PLACE: DOING: No space left on device" with the status code for
// `error`, a value of errno.
absl::Status ErrnoStatus(int error, absl::string_view place,
                         absl::string_view doing);

}  // namespace firth

#endif  // FIRTH_BASE_ERRNO_STATUS_H_
