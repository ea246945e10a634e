#include "serve/access_log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/console.h"

namespace firth::tools {
namespace {

// Of a method or a path that a client made up. Lines stay shorter than what a
// pipe that has room takes at once (PIPE_BUF), escaped as they may be.
constexpr size_t kMostPathBytes = 200;

// Whether a line can be written without waiting for who reads it.
bool HasRoom(std::FILE* file) {
  pollfd ready = {.fd = fileno(file), .events = POLLOUT, .revents = 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

}  // namespace

absl::StatusOr<AccessLog> AccessLog::Open(const std::string& path) {
  if (path == "off") return AccessLog(nullptr);
  if (path.empty()) return AccessLog(stderr);
  // With O_NONBLOCK, open() fails for a pipe that no program reads instead of
  // blocking until one does.
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
           0666);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (file != nullptr) return AccessLog(file);
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  return absl::InvalidArgumentError(
      error == ENXIO
          ? absl::StrCat(path,
                         ": cannot append: no program reads this pipe; "
                         "start the reader first")
          : absl::StrCat(path, ": cannot append: ", std::strerror(error)));
}

AccessLog::AccessLog(AccessLog&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      dropped_(other.dropped_),
      has_warned_(other.has_warned_) {}

AccessLog::~AccessLog() {
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

void AccessLog::Write(const Served& served) {
  if (file_ == nullptr) return;
  if (!HasRoom(file_)) {
    ++dropped_;
    return;
  }
  std::string line = absl::StrFormat(
      "%s %s %s %s %d %d %.1f ms\n",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                       absl::UTCTimeZone()),
      served.client, Visible(served.method.substr(0, kMostPathBytes)),
      Visible(served.path.substr(0, kMostPathBytes)), served.status,
      served.bytes, 1000 * served.seconds);
  if (dropped_ > 0) {
    absl::StrAppend(&line, "(", std::exchange(dropped_, 0),
                    " earlier lines were lost)\n");
  }
  const bool is_whole =
      std::fwrite(line.data(), 1, line.size(), file_) == line.size();
  if ((std::fflush(file_) == 0 && is_whole) || has_warned_) return;
  has_warned_ = true;
  if (file_ == stderr) return;
  PrintMessage(absl::StrCat("--access-log: cannot write: ",
                            std::strerror(errno), "; lines are lost"));
}

}  // namespace firth::tools
