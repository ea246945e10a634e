// Routes of the service. Questions of the library (firth/ask.h) are routes with
// the method POST. The service also has a few routes with the method GET, which
// are defined in serve/own_routes.cc.

#ifndef FIRTH_TOOLS_SERVE_ROUTE_H_
#define FIRTH_TOOLS_SERVE_ROUTE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/json.h"
#include "firth/ask.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "serve/served_map.h"

namespace firth::tools {

// A request and its response, as values. The service is a function from one to
// the other, without access to sockets.
struct Request {
  std::string method;
  std::string target;  // Path and query, percent-encoded.
  // Headers that the service reads.
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::optional<std::string> fetch_site;  // Sec-Fetch-Site.
  std::optional<std::string> authorization;
  std::optional<std::string> content_type;
  std::string body;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  SharedText body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Counters and durations for Prometheus.
class Metrics {
 public:
  // Upper limits of the histogram's buckets, in seconds.
  static constexpr std::array<double, 12> kBuckets = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30};

  // Counts an answered request for a route, or for "other". Thread-safe.
  void Count(absl::string_view route, int status, double seconds);
  void SetConnections(size_t connections) { connections_ = connections; }
  // Counts a connection that was closed because there were too many.
  void CountReplacedConnection() { ++replaced_connections_; }
  // Counts an attempt to load all models again. Thread-safe.
  void CountReload(bool ok) { ++reloads_[ok ? 1 : 0]; }

  // Returns all metrics in Prometheus' text format 0.0.4. Thread-safe.
  std::string Text() const;

 private:
  struct Durations {
    std::array<uint64_t, kBuckets.size()> within = {};
    uint64_t count = 0;
    double seconds = 0;
  };

  std::atomic<size_t> connections_ = 0;
  std::atomic<uint64_t> replaced_connections_ = 0;
  std::array<std::atomic<uint64_t>, 2> reloads_ = {};  // Failed, successful.
  mutable std::mutex mutex_;  // Guards the members below.
  std::map<std::pair<std::string, int>, uint64_t> requests_;
  std::map<std::string, Durations> durations_;
};

// Returns the labels of the map: [{"x", "y", "level", "words"}].
Json ClustersJson(const ServedLayout& layout);
// Returns the names, types and categories of the columns, without values.
Json ColumnsJson(const ServedMap& map);

// Prefix of the path of every route.
constexpr absl::string_view kApiPrefix = "/api/v1";

// The models and files with which the service was started, and its counters.
struct ServedFiles {
  OpenedModels models;
  // Maps by the names of models.
  std::map<std::string, std::shared_ptr<const ServedMap>> maps;
  std::set<std::string> texts;  // Models whose words are whole texts.
  // Labels by the names of models, until they are added to the maps.
  std::vector<std::pair<std::string, WordLabels>> labels;
  std::map<std::string, absl::Time> loaded;  // When each model was loaded.
  // Values of the fields of questions that are paths of files.
  std::map<std::string, std::vector<std::string>> files;
  std::string log;  // Log of a training run; may be empty.
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
};

// Returns the body of GET /info.
Json InfoJson(const ServedFiles& files);
// Returns the body of GET /openapi.json.
Json OpenApi();

Response JsonResponse(std::string json);

// Names and values of the parameters in the query of a target, decoded.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;
// Parses a target "/path?name=value&name=value"; "+" is a space. Errors:
// InvalidArgument, a "%" without two hexadecimal digits, bytes that are not
// UTF-8, a NUL, or a parameter that is given twice.
absl::StatusOr<QueryParameters> ParseQuery(absl::string_view target);

// Conditions under which a route answers.
enum class Needs {
  kNothing,  // Always, without a token.
  kToken,    // The token of the service, if it has one.
  kModels,   // The token, and loaded models.
};

struct Route {
  std::string method = "GET";  // GET or POST.
  std::string path;            // Path after kApiPrefix.
  // Path at which operators expect it, such as "/healthz"; may be empty.
  std::string usual_path = {};
  std::string summary;
  Needs needs = Needs::kModels;
  bool at_once = false;  // Whether the thread that reads requests answers it.
  bool may_be_slow = false;  // Whether it is, with any parameter "method".
  bool reloads = false;      // Whether it loads all models again.
  const Question* question = nullptr;  // Null for a route of the service.
  // The other members are used only by routes of the service.
  const FieldTable* parameters = nullptr;  // Parameters of the query.
  std::string example = {};                // A query, such as "?prefix=ki".
  std::string type = "application/json";   // Type of the response.
  std::string schema = {};                 // Schema of a response in JSON.
  // Thread-safe. Errors, sent to the client: InvalidArgument, NotFound.
  std::function<absl::StatusOr<Response>(const ServedFiles&,
                                         const QueryParameters&)>
      answer = {};
  // Schema and function of a request with a body in JSON; null for others.
  std::string body_schema = {};
  std::function<absl::StatusOr<Response>(const ServedFiles&,
                                         absl::string_view body)>
      post = {};
};

// Sets fields to the parameters of a query. Errors: InvalidArgument.
absl::Status ReadParameters(const QueryParameters& query,
                            const FieldTable& table, void* parameters);

// Completes a route of the service, whose parameters are a struct with fields.
template <class Parameters>
Route GetRoute(Route route,
               absl::StatusOr<Response> (*answer)(const ServedFiles&,
                                                  const Parameters&)) {
  route.parameters = &TableFor<Parameters>();
  route.answer = [answer](
                     const ServedFiles& files,
                     const QueryParameters& query) -> absl::StatusOr<Response> {
    Parameters parameters;
    FIRTH_RETURN_IF_ERROR(
        ReadParameters(query, TableFor<Parameters>(), &parameters));
    return answer(files, parameters);
  };
  return route;
}

struct NoParameters {};
// The parameters of routes about one model of vectors.
struct ModelParameter {
  static FieldTable Fields();

  std::string model;
};

// Returns the routes of the service, GET /info first.
std::vector<Route> OwnRoutes();
// Returns the routes in the forms of other services of embeddings.
std::vector<Route> EmbeddingRoutes();
// Returns all routes, in the order of the documentation: GET /info, the
// questions, the other routes of the service, those of embeddings.
const std::vector<Route>& Routes();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ROUTE_H_
