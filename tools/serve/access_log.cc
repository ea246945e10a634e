#include "serve/access_log.h"

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

// Of a path that a client made up.
constexpr size_t kMostPathBytes = 200;

}  // namespace

absl::StatusOr<AccessLog> AccessLog::Open(const std::string& path) {
  if (path == "off") return AccessLog(nullptr);
  if (path.empty()) return AccessLog(stderr);
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  if (file != nullptr) return AccessLog(file);
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": cannot append: ", std::strerror(errno)));
}

AccessLog::AccessLog(AccessLog&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)) {}

AccessLog::~AccessLog() {
  if (file_ != nullptr && file_ != stderr) std::fclose(file_);
}

void AccessLog::Write(const Served& served) {
  if (file_ == nullptr) return;
  const std::string line =
      absl::StrFormat("%s %s %s %s %d %d %.1f ms\n",
                      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                                       absl::UTCTimeZone()),
                      served.client, Visible(served.method),
                      Visible(served.path.substr(0, kMostPathBytes)),
                      served.status, served.bytes, 1000 * served.seconds);
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

}  // namespace firth::tools
