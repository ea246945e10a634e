// Common parts of "firth serve" and "firth explore": their options, the models
// that they open, and the running service.

#ifndef FIRTH_TOOLS_SERVE_SERVING_H_
#define FIRTH_TOOLS_SERVE_SERVING_H_

#include <atomic>
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

  // Writes a line without blocking. Called by one thread at a time. If a pipe
  // has no room, the line is dropped, and the next one reports the number of
  // lost lines. Prints a write error once on standard error.
  void Write(const Served& served);

 private:
  AccessLog(std::FILE* file, AccessLogForm form) : file_(file), form_(form) {}
  std::string LineOf(const Served& served) const;

  std::FILE* file_;  // Null if the log is off.
  AccessLogForm form_;
  uint64_t dropped_ = 0;
  bool has_warned_ = false;
};

class Serving {
 public:
  // `prefer_vectors` is that of OpenModel().
  explicit Serving(bool prefer_vectors) : prefer_vectors_(prefer_vectors) {}

  void Declare(OptionSet* options);
  // Checks the options. `page` is the file to write, or empty. Errors:
  // InvalidArgument.
  absl::Status Check(const std::string& page = "");

  // Opens the models, their maps and the other files. Prints what is loaded. If
  // `former` is given, a model or map that cannot be read is taken from it, and
  // the error is added to `*errors`.
  absl::StatusOr<ServedFiles> Open(
      const ServedFiles* former = nullptr,
      std::vector<std::string>* errors = nullptr) const;

  // Adds the labels that were read to the maps. Prints how many words have
  // them.
  static absl::Status AddLabels(ServedFiles* files);

  // Completes the files after they were opened, until `*stop` is true.
  using Prepare =
      std::function<absl::Status(ServedFiles*, const std::atomic<bool>* stop)>;
  // Opens the files and serves them until a signal ends the service. SIGHUP
  // opens them again. `pages` are those of Service. Calls `on_start` with the
  // address when the models are loaded.
  absl::StatusOr<ExitCode> Run(
      std::map<std::string, Response> pages, const Prepare& prepare,
      const std::function<void(const std::string&)>& on_start) const;

 private:
  // Returns the files that the routes read, with their options.
  std::vector<UsedFile> FilesOfRoutes() const;
  absl::Status OpenModels(const ServedFiles* former, ServedFiles* files,
                          std::vector<std::string>* errors) const;
  absl::Status OpenMaps(const ServedFiles* former, ServedFiles* files,
                        std::vector<std::string>* errors) const;
  absl::Status ReadLabels(ServedFiles* files) const;
  absl::StatusOr<AccessRules> MakeRules() const;
  absl::Status Reload(const Prepare& prepare, const std::atomic<bool>* stop,
                      Service* service) const;

  const bool prefer_vectors_;
  HttpOptions http_;
  SearchChoice search_;
  std::vector<std::string> analogies_;
  std::vector<std::string> similarity_;
  std::string text_;
  std::string log_;
  std::string token_path_;
  std::string allowed_hosts_;
  std::vector<std::string> maps_;
  std::vector<std::string> labels_;
  std::string access_log_;
  AccessLogForm access_log_form_ = AccessLogForm::kPlain;
  std::vector<std::string> arguments_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVING_H_
