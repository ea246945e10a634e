#include "base/temporary_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kMark = ".tmp-";
constexpr size_t kMostNameBytes = 200;

// Returns whether the path still refers to the open file.
//
// A process removes its lock file when it ends. Two processes may therefore
// hold locks on two files that had the same name one after the other. So a lock
// is valid only if its file still has that name after the lock was taken.
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

std::string TemporaryPrefix(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return absl::StrCat(path.substr(0, path.size() - name.size()),
                      name.substr(0, kMostNameBytes), kMark);
}

void RemoveHalfWritten(const std::string& folder,
                       const std::function<bool(absl::string_view)>& is_ours) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const size_t mark = absl::string_view(name).rfind(kMark);
    if (mark == std::string::npos) continue;
    std::error_code ignored;
    if (is_ours(absl::string_view(name).substr(0, mark))) {
      fs::remove(it->path(), ignored);
    }
  }
}

std::string TemporaryFolder(std::string folder) {
  if (!folder.empty()) return folder;
  const char* from_environment = std::getenv("TMPDIR");
  if (from_environment != nullptr && *from_environment != '\0') {
    return from_environment;
  }
  return "/tmp";
}

// Not every file system supports files without a name. On the others, the file
// is unlinked immediately.
absl::StatusOr<int> OpenUnnamed(const std::string& folder) {
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string path = absl::StrCat(folder, "/firth-XXXXXX");
  fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) {
    return ErrnoStatus(errno, folder, "cannot create a temporary file");
  }
  unlink(path.c_str());
  return fd;
}

absl::Status WriteUnnamed(int fd, absl::string_view bytes,
                          const std::string& folder) {
  const FileSizeSignalHeld held;
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return ErrnoStatus(errno, folder, "cannot write to a temporary file");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

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
