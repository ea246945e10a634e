// The service, without its sockets. It checks the client of a request, finds
// the route, checks that the request has the form that the route requires, and
// answers it.
//
// A page of another site that is open in a browser on this machine can send
// requests to the service. It cannot read the answers, and its requests are
// refused: they carry its Origin or, if they are GET, Sec-Fetch-Site (requests
// with neither are served). A name that it has pointed at this machine (DNS
// rebinding) appears in Host. Bodies must be application/json, which a browser
// does not send to another site without permission.

#ifndef FIRTH_TOOLS_SERVE_SERVICE_H_
#define FIRTH_TOOLS_SERVE_SERVICE_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "serve/access_rules.h"
#include "serve/route.h"

namespace firth::tools {

// The files of the service until they are loaded again, and answers that were
// computed from them.
struct Snapshot {
  Snapshot() = default;  // Of a service that is not ready.
  explicit Snapshot(ServedFiles&& loaded)
      : files(std::move(loaded)), is_ready(true) {}

  ServedFiles files;
  bool is_ready = false;     // Whether the models are loaded.
  mutable std::mutex mutex;  // Guards `kept`.
  // Answers of slow questions, by question and body.
  mutable std::map<std::string, Response> kept;
};

// A request that may be answered. It keeps its snapshot alive.
struct Job {
  const Route* route;
  Request request;
  std::shared_ptr<const Snapshot> snapshot;
};

class Service {
 public:
  // Creates a service that is not ready. Until Replace() is called, it refuses
  // requests that need models. `pages` are responses outside of kApiPrefix, by
  // path.
  struct NotReady {};
  Service(AccessRules rules, std::map<std::string, Response> pages, NotReady);
  // Creates a service that is ready.
  Service(ServedFiles files, AccessRules rules,
          std::map<std::string, Response> pages = {});

  // Answers the requests that arrive from now on with these files. Requests in
  // progress are answered with the former ones, which are then freed. The
  // metrics stay. Thread-safe.
  void Replace(ServedFiles files);
  // Requires this token from now on. Call it only if the service was created
  // with one. Thread-safe.
  void SetToken(std::string token);
  // Sets what POST /admin/reload does. Call it before the first request.
  void OnReload(std::function<Response()> reload) {
    reload_ = std::move(reload);
  }
  std::shared_ptr<const Snapshot> snapshot() const;

  // Returns the job of a request, or the response if it is refused or needs no
  // route. Does not read the body, and so takes almost no time. Thread-safe.
  std::variant<Job, Response> Admit(Request request) const;
  // Answers a request that was admitted. Thread-safe.
  Response Work(const Job& job) const;

 private:
  absl::StatusOr<Response> Answer(const Job& job) const;
  absl::StatusOr<Response> Reload() const;
  std::string token() const;
  bool HasToken(const Request& request) const;
  Response FrontPage(const Request& request) const;
  absl::Status CheckAccess(const Request& request,
                           absl::string_view path) const;

  const std::vector<std::string> hosts_;
  const std::map<std::string, Response> pages_;
  std::function<Response()> reload_;
  mutable std::mutex mutex_;  // Guards token_ and snapshot_.
  std::string token_;
  std::shared_ptr<const Snapshot> snapshot_;
};

// Returns whether answering takes seconds, or waits for a model that answers
// one request at a time.
bool IsSlow(const Job& job);

// Returns the route of a target, or null if there is none.
const Route* FindRoute(absl::string_view method, absl::string_view target);

// Returns a response with {"error": {"code", "message", "field"}}.
Response ErrorResponse(int status, absl::string_view code,
                       absl::string_view message, absl::string_view field = "");

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVICE_H_
