#include "base/errno_status.h"

#include <cerrno>
#include <ctime>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace firth {
namespace {

absl::StatusCode CodeFor(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::ErrnoToStatusCode(error);
  }
}

}  // namespace

absl::Status ErrnoStatus(int error, absl::string_view place,
                         absl::string_view doing) {
  return absl::Status(CodeFor(error),
                      absl::StrCat(place, ": ", doing, ": ",
                                   std::generic_category().message(error)));
}

FileSizeSignalHeld::FileSizeSignalHeld() {
  sigemptyset(&too_large_);
  sigaddset(&too_large_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large_, &old_mask_);
  sigset_t pending;
  sigpending(&pending);
  waited_before_ = sigismember(&pending, SIGXFSZ) == 1;
}

FileSizeSignalHeld::~FileSizeSignalHeld() {
  const int error = errno;  // Keeps the errno of the write.
  if (!waited_before_) {
    const timespec at_once = {0, 0};
    sigtimedwait(&too_large_, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  errno = error;
}

}  // namespace firth
