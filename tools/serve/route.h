// What the service can be asked: a table of routes, each in a file of its own
// in serve/routes. To add one, write its file and name it in routes.cc.

#ifndef FIRTH_TOOLS_SERVE_ROUTE_H_
#define FIRTH_TOOLS_SERVE_ROUTE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/json.h"
#include "serve/metrics.h"
#include "serve/models.h"
#include "serve/reference_text.h"
#include "serve/request.h"

namespace firth::tools {

// In front of the path of every route.
constexpr absl::string_view kApiPrefix = "/api/v1";

// Answers that take long to find, kept for who asks again: by what was asked.
struct KeptAnswers {
  std::mutex mutex;
  std::map<std::string, Json> by_question;
};

// What the service was given, and what it keeps.
struct ServedFiles {
  Models models;
  std::vector<std::string> analogies;         // test sets, paths
  std::vector<std::string> similarity;        // likewise
  std::shared_ptr<const ReferenceText> text;  // null: none
  std::string log;                            // of a training; empty: none
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::shared_ptr<KeptAnswers> kept = std::make_shared<KeptAnswers>();
};

// Of GET /info.
Json InfoJson(const ServedFiles& files);

// Who does the work of a route.
enum class Lane {
  kAtOnce,  // takes no time: whoever has read the request
  kQuick,   // takes milliseconds: as many threads as there are cores
  kSlow,    // takes seconds or minutes: a thread of its own, one at a time
};

struct Answer {
  std::string type;
  SharedText body;
};
Answer JsonAnswer(const Json& json);

struct Route {
  std::string method;  // GET or POST
  std::string path;    // behind kApiPrefix
  std::string summary;
  Json request;        // the schema of the body, or of the query
  Json example;        // a request
  Json response = {};  // the schema of the body, of JSON
  std::string type = "application/json";  // of the response
  Lane lane = Lane::kQuick;
  // The request fits its schema. Thread-safe. Errors: InvalidArgument and
  // NotFound, for the client to see.
  absl::StatusOr<Answer> (*answer)(const ServedFiles& files,
                                   const Json& request);
};

// In the order of the documents.
const std::vector<Route>& Routes();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_ROUTE_H_
