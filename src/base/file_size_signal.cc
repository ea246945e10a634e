#include "base/file_size_signal.h"

#include <cerrno>
#include <ctime>

namespace firth {

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
