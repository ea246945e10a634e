// What "firth serve" and "firth explore" share: their options, the models that
// these open, and the service from its start to its end.

#ifndef FIRTH_TOOLS_SERVE_SERVING_H_
#define FIRTH_TOOLS_SERVE_SERVING_H_

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

class Serving {
 public:
  void Declare(OptionSet* options);
  // Errors: InvalidArgument.
  // page: a file to write, or empty.
  absl::Status Check(const std::string& page = "");

  // Opens the models, their maps and the other files.
  absl::StatusOr<ServedFiles> Open() const;
  // Serves them until a signal ends it. `pages` as of Service; on_start is
  // called with the address when requests are answered.
  absl::StatusOr<ExitCode> Run(
      ServedFiles files, std::map<std::string, Response> pages,
      const std::function<void(const std::string&)>& on_start) const;

  const std::vector<std::string>& models() const { return arguments_; }
  const std::string& access_log() const { return access_log_; }

 private:
  absl::Status OpenMaps(Models* models) const;
  absl::StatusOr<AccessRules> MakeRules() const;

  HttpOptions http_;
  SearchChoice ranking_;
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
