// Routes of the service. Questions of the library (firth/ask.h) are routes with
// the method POST. The service also has a few routes with the method GET, which
// are defined in serve/routes.

#ifndef FIRTH_TOOLS_SERVE_ROUTE_H_
#define FIRTH_TOOLS_SERVE_ROUTE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "firth/ask.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "serve/metrics.h"
#include "serve/request.h"
#include "serve/served_map.h"

namespace firth::tools {

// Prefix of the path of every route.
constexpr absl::string_view kApiPrefix = "/api/v1";

// The models and files with which the service was started, and its counters.
struct ServedFiles {
  OpenedModels models;
  std::map<std::string, ServedMap> maps;  // Maps by the names of models.
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

struct Route {
  std::string method = "GET";  // GET or POST.
  std::string path;            // Path after kApiPrefix.
  std::string summary;
  bool at_once = false;  // Whether the thread that reads requests answers it.
  const Question* question = nullptr;  // Null for a route of the service.
  // The other members are used only by routes of the service.
  const FieldTable* parameters = nullptr;  // Parameters of the query.
  std::string example = "";                // A query, such as "?prefix=ki".
  std::string type = "application/json";   // Type of the response.
  std::string schema = "";                 // Schema of a response in JSON.
  // Thread-safe. Errors, sent to the client: InvalidArgument, NotFound.
  std::function<absl::StatusOr<Response>(const ServedFiles&,
                                         const QueryParameters&)>
      answer = {};
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

// Returns all routes, in the order of the documentation.
const std::vector<Route>& Routes();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ROUTE_H_
