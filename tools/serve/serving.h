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
#include "serve/access_log.h"
#include "serve/http_server.h"
#include "serve/route.h"
#include "serve/service.h"

namespace firth::tools {

class Serving {
 public:
  // `prefer_vectors` is that of OpenModel().
  explicit Serving(bool prefer_vectors) : prefer_vectors_(prefer_vectors) {}

  void Declare(OptionSet* options);
  // Checks the options. `page` is the file to write, or empty. Errors:
  // InvalidArgument.
  absl::Status Check(const std::string& page = "");

  // Opens the models, their maps and the other files. Prints what is loaded.
  absl::StatusOr<ServedFiles> Open() const;

  // Adds the labels that were read to the maps. Prints how many words have
  // them.
  static absl::Status AddLabels(ServedFiles* files);

  // Completes the files after they were opened, until `*stop` is true.
  using Prepare =
      std::function<absl::Status(ServedFiles*, const std::atomic<bool>* stop)>;
  // Opens the files and serves them until a signal ends the service. SIGHUP and
  // POST /admin/reload open them, the access log and the token again. If a
  // model, map or label cannot be read, all of them stay as they were. `pages`
  // are those of Service. Calls `on_start` with the address when the models are
  // loaded.
  absl::StatusOr<ExitCode> Run(
      std::map<std::string, Response> pages, const Prepare& prepare,
      const std::function<void(const std::string&)>& on_start) const;

 private:
  // Returns the files that the routes read, with their options.
  std::vector<UsedFile> FilesOfRoutes() const;
  absl::Status OpenModels(ServedFiles* files) const;
  absl::Status OpenMaps(ServedFiles* files) const;
  // Returns the file of a model.
  std::string PathOf(absl::string_view model) const;
  absl::Status ReadLabels(ServedFiles* files) const;
  absl::Status ReloadToken(Service* service) const;
  absl::Status ReloadFiles(const Prepare& prepare,
                           const std::atomic<bool>* stop,
                           Service* service) const;
  // Errors: FailedPrecondition, what could not be read, and what stays in use.
  absl::Status Reload(const Prepare& prepare, const std::atomic<bool>* stop,
                      AccessLog* log, Service* service) const;

  const bool prefer_vectors_;
  HttpOptions http_;
  SearchChoice search_;
  std::vector<std::string> analogies_;
  std::vector<std::string> similarity_;
  std::string text_;
  std::string log_;
  std::string token_path_;
  std::string allowed_hosts_;
  std::vector<std::string> hosts_;  // The names in allowed_hosts_.
  std::vector<std::string> maps_;
  std::vector<std::string> labels_;
  std::string access_log_;
  AccessLogForm access_log_form_ = AccessLogForm::kPlain;
  std::vector<std::string> arguments_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVING_H_
