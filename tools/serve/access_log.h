// The access log of the service, a line per request.

#ifndef FIRTH_TOOLS_SERVE_ACCESS_LOG_H_
#define FIRTH_TOOLS_SERVE_ACCESS_LOG_H_

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "serve/http_server.h"

namespace firth::tools {

// kCommon is the Common Log Format of web servers, and kJson an object with
// time, client, method, path, status, bytes and seconds.
enum class AccessLogForm { kPlain, kCommon, kJson };

// Writes a line per request: time, client, request and result. The query is
// left out, because the words that users look up are private.
class AccessLog {
 public:
  // Appends to the file, or writes to standard error if `path` is "", or
  // nowhere if it is "off". Errors: those of opening the file.
  static absl::StatusOr<AccessLog> Open(
      const std::string& path, AccessLogForm form = AccessLogForm::kPlain);
  ~AccessLog();
  AccessLog(AccessLog&& other) noexcept;
  AccessLog& operator=(AccessLog&&) = delete;

  // Writes a line without blocking. If a pipe has no room, the line is dropped,
  // and the next one reports the number of lost lines. Prints a write error
  // once on standard error. Thread-safe.
  void Write(const Served& served);
  // Opens the file of this name again, after another program has renamed it.
  // Does nothing without a file. Errors: those of opening it; the log then
  // continues in the former file. Thread-safe.
  absl::Status Reopen();

 private:
  AccessLog(std::FILE* file, std::string path, AccessLogForm form)
      : file_(file), path_(std::move(path)), form_(form) {}
  std::string LineOf(const Served& served) const;

  std::mutex mutex_;  // Guards the members below.
  std::FILE* file_;   // Null if the log is off.
  const std::string path_;
  const AccessLogForm form_;
  uint64_t dropped_ = 0;
  bool has_warned_ = false;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ACCESS_LOG_H_
