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

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "serve/route.h"

namespace firth::tools {

struct AccessRules {
  // Host names of the service in lower case, in addition to localhost and IP
  // addresses.
  std::vector<std::string> hosts;
  // Token that "Authorization: Bearer" must contain. If empty, none is needed.
  std::string token;
};

// A request that may be answered.
struct Job {
  const Route* route;
  Request request;
};

class Service {
 public:
  // Creates a service. `pages` are responses outside of kApiPrefix, by path.
  Service(ServedFiles files, AccessRules rules,
          std::map<std::string, Response> pages = {})
      : files_(std::move(files)),
        rules_(std::move(rules)),
        pages_(std::move(pages)) {}

  // Returns the job of a request, or the response if it is refused or needs no
  // route. Does not read the body, and so takes almost no time. Thread-safe.
  std::variant<Job, Response> Admit(Request request) const;
  // Answers a request that was admitted. Thread-safe.
  Response Work(const Job& job) const;

 private:
  absl::StatusOr<Response> Answer(const Job& job) const;
  absl::Status CheckAccess(const Request& request,
                           absl::string_view path) const;

  ServedFiles files_;
  AccessRules rules_;
  std::map<std::string, Response> pages_;
  mutable std::mutex mutex_;  // Guards kept_.
  // Answers of slow questions, by question and body.
  mutable std::map<std::string, Response> kept_;
};

// Returns whether answering takes seconds, or waits for a model that answers
// one request at a time.
bool IsSlow(const Route& route);

// Returns the route of a target, or null if there is none.
const Route* FindRoute(absl::string_view method, absl::string_view target);

// Returns a response with {"error": {"code", "message", "field"}}.
Response ErrorResponse(int status, absl::string_view code,
                       absl::string_view message, absl::string_view field = "");

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVICE_H_
