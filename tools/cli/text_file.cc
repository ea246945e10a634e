#include "cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace firth::tools {
namespace {

absl::Status SystemError(absl::string_view path) {
  const int error = errno;
  return absl::UnavailableError(absl::StrCat(
      path, ": cannot write: ", std::generic_category().message(error)));
}

// Takes the descriptor over.
bool WriteAndClose(int fd, absl::string_view text) {
  bool good = fd >= 0;
  while (good && !text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (good) text.remove_prefix(static_cast<size_t>(written));
  }
  if (fd >= 0 && close(fd) != 0) good = false;
  return good;
}

}  // namespace

absl::StatusOr<TemporaryTextFile> TemporaryTextFile::Create(
    absl::string_view text) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = absl::StrCat(
      folder != nullptr && *folder != 0 ? folder : "/tmp", "/firth-XXXXXX");
  const int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return SystemError(path);
  TemporaryTextFile file(path);
  if (!WriteAndClose(fd, text)) return SystemError(path);
  return file;
}

TemporaryTextFile::TemporaryTextFile(std::string path)
    : path_(std::move(path)) {}

TemporaryTextFile::TemporaryTextFile(TemporaryTextFile&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

TemporaryTextFile::~TemporaryTextFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace firth::tools
