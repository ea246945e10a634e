#include "serve/route.h"
#include "serve/schema.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> ToldMetrics(const ServedFiles& files, const Json&) {
  return Answer{"text/plain; version=0.0.4; charset=utf-8",
                Share(files.metrics->Text())};
}

}  // namespace

Route MetricsRoute() {
  return {.method = "GET",
          .path = "/metrics",
          .summary =
              "Returns the number and duration of requests, connections and "
              "memory, in Prometheus' text format.",
          .request = ObjectSchema({}),
          .example = Json::object(),
          .type = "text/plain; version=0.0.4; charset=utf-8",
          .lane = Lane::kAtOnce,
          .answer = &ToldMetrics};
}

}  // namespace firth::tools
