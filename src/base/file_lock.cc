// A process removes its lock file when it ends. Two processes may therefore
// hold locks on two files that had the same name one after the other. So a lock
// is valid only if its file still has that name after the lock was taken.

#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"

namespace firth {
namespace {

// Returns whether the path still refers to the open file.
bool IsAt(const std::string& path, int fd) {
  struct stat named;
  struct stat opened;
  return lstat(path.c_str(), &named) == 0 && fstat(fd, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

bool IsEmptyFile(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const FileLock>> FileLock::Take(
    const std::string& path, const std::string& place) {
  for (;;) {
    // Network file systems lock only files that are open for writing.
    // O_NONBLOCK keeps open() from waiting if the path is a pipe.
    const int fd =
        open(path.c_str(),
             O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0) {
      return ErrnoStatus(errno, place,
                         absl::StrCat("cannot make the lock file ", path));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(fd);
      return absl::FailedPreconditionError(
          absl::StrCat(place,
                       ": another training run is saving there now; wait until "
                       "it ends, or choose another folder"));
    }
    if (IsAt(path, fd)) {
      return std::shared_ptr<const FileLock>(new FileLock(path, fd));
    }
    close(fd);
  }
}

FileLock::FileLock(std::string path, int fd)
    : path_(std::move(path)), fd_(fd) {}

FileLock::~FileLock() {
  if (IsAt(path_, fd_) && IsEmptyFile(fd_)) unlink(path_.c_str());
  close(fd_);
}

}  // namespace firth
