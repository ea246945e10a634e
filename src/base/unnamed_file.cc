#include "base/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/file_size_signal.h"

namespace firth {

std::string TempFolder(std::string folder) {
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

}  // namespace firth
