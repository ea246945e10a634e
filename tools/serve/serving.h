// Common parts of "firth serve" and "firth explore": their options, the models
// that they open, and the running service.

#ifndef FIRTH_TOOLS_SERVE_SERVING_H_
#define FIRTH_TOOLS_SERVE_SERVING_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ask/open_models.h"
#include "cli/option_set.h"
#include "command.h"
#include "serve/http_server.h"
#include "serve/route.h"
#include "serve/service.h"

namespace firth::tools {

// Writes a line per request: time, client, request and result. The query is
// left out, because the words that users look up are private.
class AccessLog {
 public:
  // Appends to the file, or writes to standard error if `path` is "", or
  // nowhere if it is "off". Errors: those of opening the file.
  static absl::StatusOr<AccessLog> Open(const std::string& path);
  ~AccessLog();
  AccessLog(AccessLog&& other) noexcept;
  AccessLog& operator=(AccessLog&&) = delete;

  // Writes a line without blocking. Called by one thread at a time. If a pipe
  // has no room, the line is dropped, and the next one reports the number of
  // lost lines. Prints a write error once on standard error.
  void Write(const Served& served);

 private:
  explicit AccessLog(std::FILE* file) : file_(file) {}

  std::FILE* file_;  // Null if the log is off.
  uint64_t dropped_ = 0;
  bool has_warned_ = false;
};

class Serving {
 public:
  void Declare(OptionSet* options);
  // Checks the options. `page` is the file to write, or empty. Errors:
  // InvalidArgument.
  absl::Status Check(const std::string& page = "");

  // Opens the models, their maps and the other files.
  absl::StatusOr<ServedFiles> Open() const;
  // Serves the files until a signal arrives. `pages` are those of Service.
  // Calls `on_start` with the address once requests are answered.
  absl::StatusOr<ExitCode> Run(
      ServedFiles files, std::map<std::string, Response> pages,
      const std::function<void(const std::string&)>& on_start) const;

 private:
  // Returns the files that the routes read, with their options.
  std::vector<UsedFile> FilesOfRoutes() const;
  absl::Status OpenModels(OpenedModels* models) const;
  absl::Status OpenMaps(ServedFiles* files) const;
  absl::StatusOr<AccessRules> MakeRules() const;

  HttpOptions http_;
  SearchChoice search_;
  std::vector<std::string> analogies_;
  std::vector<std::string> similarity_;
  std::string text_;
  std::string log_;
  std::string token_path_;
  std::string allowed_hosts_;
  std::vector<std::string> maps_;
  std::string access_log_;
  std::vector<std::string> arguments_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVING_H_
