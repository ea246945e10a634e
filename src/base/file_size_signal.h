// Writing beyond RLIMIT_FSIZE as an error, EFBIG, that does not end the
// process.

#ifndef FIRTH_BASE_FILE_SIZE_SIGNAL_H_
#define FIRTH_BASE_FILE_SIZE_SIGNAL_H_

#include <signal.h>

namespace firth {

// While it lives, the SIGXFSZ that such a write of this thread brings is held
// back; at the end it is taken away again. One that was waiting before stays.
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

#endif  // FIRTH_BASE_FILE_SIZE_SIGNAL_H_
