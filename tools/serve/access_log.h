// A line for each request: when, who, what, with which result. The query of a
// target is left out, as words that people look for are nobody's business.

#ifndef FIRTH_TOOLS_SERVE_ACCESS_LOG_H_
#define FIRTH_TOOLS_SERVE_ACCESS_LOG_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/statusor.h"
#include "serve/http_server.h"

namespace firth::tools {

class AccessLog {
 public:
  // Appends to the file; "": writes to standard error, "off": nothing. Errors:
  // of opening a file.
  static absl::StatusOr<AccessLog> Open(const std::string& path);
  ~AccessLog();
  AccessLog(AccessLog&& other) noexcept;
  AccessLog& operator=(AccessLog&&) = delete;

  // By one thread at a time. Waits for nobody: a line for which a pipe has no
  // room is dropped, and the next one that is written tells how many were. Says
  // on standard error, once, that lines cannot be written.
  void Write(const Served& served);

 private:
  explicit AccessLog(std::FILE* file) : file_(file) {}

  std::FILE* file_;  // null: off
  uint64_t dropped_ = 0;
  bool has_warned_ = false;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ACCESS_LOG_H_
