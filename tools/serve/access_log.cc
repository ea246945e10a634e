// A line is written in one piece, and never waits for its reader, because the
// thread that writes it also reads and writes all connections.

#include "serve/access_log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/console.h"
#include "cli/json.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Maximum length of a client's method or path. Even escaped, a line fits into a
// pipe that has room (PIPE_BUF).
constexpr size_t kMostPathBytes = 200;

// Returns whether a line can be written without blocking.
bool HasRoom(std::FILE* file) {
  pollfd ready = {.fd = fileno(file), .events = POLLOUT, .revents = 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

// With O_NONBLOCK, open() fails for a pipe that no program reads instead of
// blocking until one does.
absl::StatusOr<std::FILE*> OpenToAppend(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
           0666);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (file != nullptr) return file;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  return absl::InvalidArgumentError(
      error == ENXIO
          ? absl::StrCat(path,
                         ": cannot append: no program reads this pipe; "
                         "start the reader first")
          : absl::StrCat(path, ": cannot append: ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<AccessLog> AccessLog::Open(const std::string& path,
                                          AccessLogForm form) {
  if (path == "off") return AccessLog(nullptr, "", form);
  if (path.empty()) return AccessLog(stderr, "", form);
  FIRTH_ASSIGN_OR_RETURN(std::FILE * file, OpenToAppend(path));
  return AccessLog(file, path, form);
}

AccessLog::AccessLog(AccessLog&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(other.path_),
      form_(other.form_),
      dropped_(other.dropped_),
      has_warned_(other.has_warned_) {}

AccessLog::~AccessLog() {
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

absl::Status AccessLog::Reopen() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (path_.empty()) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(std::FILE * file, OpenToAppend(path_));
  std::fclose(std::exchange(file_, file));
  has_warned_ = false;
  return absl::OkStatus();
}

std::string AccessLog::LineOf(const Served& served) const {
  const absl::Time now = absl::Now();
  const std::string method = Visible(served.method.substr(0, kMostPathBytes));
  const std::string path = Visible(served.path.substr(0, kMostPathBytes));
  const auto time = [now](absl::string_view format) {
    return absl::FormatTime(format, now, absl::UTCTimeZone());
  };
  switch (form_) {
    case AccessLogForm::kPlain:
      break;
    case AccessLogForm::kCommon:
      return absl::StrFormat("%s - - [%s] \"%s %s HTTP/1.1\" %d %d\n",
                             served.client, time("%d/%b/%Y:%H:%M:%S %z"),
                             method, absl::StrReplaceAll(path, {{"\"", "%22"}}),
                             served.status, served.bytes);
    case AccessLogForm::kJson:
      return OneLine({{"time", time("%Y-%m-%dT%H:%M:%E3SZ")},
                      {"client", served.client},
                      {"method", method},
                      {"path", path},
                      {"status", served.status},
                      {"bytes", served.bytes},
                      {"seconds", served.seconds}}) +
             "\n";
  }
  return absl::StrFormat("%s %s %s %s %d %d %.1f ms\n",
                         time("%Y-%m-%dT%H:%M:%E3SZ"), served.client, method,
                         path, served.status, served.bytes,
                         1000 * served.seconds);
}

void AccessLog::Write(const Served& served) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file_ == nullptr) return;
  if (!HasRoom(file_)) {
    ++dropped_;
    return;
  }
  std::string line = LineOf(served);
  if (dropped_ > 0) {
    const uint64_t lost = std::exchange(dropped_, 0);
    absl::StrAppend(
        &line, form_ == AccessLogForm::kJson
                   ? absl::StrCat("{\"lost\":", lost, "}\n")
                   : absl::StrCat("(", lost, " earlier lines were lost)\n"));
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
