// What the service answers, without sockets: who may ask, which route a request
// is for, whether it has that route's shape, and what comes of it.
//
// A page of another site that is open in a browser on this machine can send
// requests here. It cannot read answers, and it is refused: its requests carry
// its Origin or, where they only get something, Sec-Fetch-Site (a browser that
// sends neither is served), and a name that it has pointed at this machine (DNS
// rebinding) shows in Host. Bodies must be application/json, which a browser
// does not send to another site unasked.

#ifndef FIRTH_TOOLS_SERVE_SERVICE_H_
#define FIRTH_TOOLS_SERVE_SERVICE_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "serve/request.h"
#include "serve/route.h"

namespace firth::tools {

struct AccessRules {
  // Names by which clients may reach the service, besides localhost and
  // addresses in numbers, lower case.
  std::vector<std::string> hosts;
  // What "Authorization: Bearer" must have; empty: nothing.
  std::string token;
};

// A request that may be answered.
struct Job {
  const Route* route;
  Request request;
};

class Service {
 public:
  // `pages`: what there is outside of kApiPrefix, by path.
  Service(ServedFiles files, AccessRules rules,
          std::map<std::string, Response> pages = {})
      : files_(std::move(files)),
        rules_(std::move(rules)),
        pages_(std::move(pages)) {}

  // What there is to do for a request, or the answer to one that is refused or
  // wants none of the routes. Takes no time: the body is not looked at.
  // Thread-safe.
  std::variant<Job, Response> Admit(Request request) const;
  // Thread-safe.
  Response Work(const Job& job) const;
  // Both.
  Response Respond(Request request) const;

 private:
  absl::StatusOr<Response200> Answer(const Job& job) const;
  absl::Status CheckAccess(const Request& request,
                           absl::string_view path) const;

  ServedFiles files_;
  AccessRules rules_;
  std::map<std::string, Response> pages_;
  mutable std::mutex mutex_;  // Guards kept_.
  // Answers of slow questions, by question and body.
  mutable std::map<std::string, SharedText> kept_;
};

// Returns whether an answer takes seconds, or waits for a model that answers
// one request at a time.
bool IsSlow(const Route& route);

// The route of a target, for records; null if there is none.
const Route* FindRoute(absl::string_view method, absl::string_view target);

// {"error": {"code", "message", "field"}} with the headers of every response.
Response ErrorResponse(int status, absl::string_view code,
                       absl::string_view message, absl::string_view field = "");

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVICE_H_
