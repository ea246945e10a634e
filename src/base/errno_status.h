// Reports failed system calls as a Status.

#ifndef FIRTH_BASE_ERRNO_STATUS_H_
#define FIRTH_BASE_ERRNO_STATUS_H_

#include <signal.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns "PLACE: DOING: No space left on device" with the status code for
// `error`, a value of errno.
absl::Status ErrnoStatus(int error, absl::string_view place,
                         absl::string_view doing);

// Makes a write beyond RLIMIT_FSIZE fail with EFBIG instead of ending the
// process. While it exists, blocks the SIGXFSZ that such a write raises in this
// thread; the destructor discards it. A signal that was already pending is
// kept.
class FileSizeSignalHeld {
 public:
  FileSizeSignalHeld();
  ~FileSizeSignalHeld();
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

 private:
  sigset_t too_large_;
  sigset_t old_mask_;
  bool waited_before_;
};

}  // namespace firth

#endif  // FIRTH_BASE_ERRNO_STATUS_H_
