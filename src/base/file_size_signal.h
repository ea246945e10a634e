// Makes a write beyond RLIMIT_FSIZE fail with EFBIG instead of ending the
// process.

#ifndef FIRTH_BASE_FILE_SIZE_SIGNAL_H_
#define FIRTH_BASE_FILE_SIZE_SIGNAL_H_

#include <signal.h>

namespace firth {

// While it exists, blocks the SIGXFSZ that such a write raises in this thread;
// the destructor discards it. A signal that was already pending is kept.
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
