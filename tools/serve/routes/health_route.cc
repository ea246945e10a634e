#include "serve/route.h"
#include "serve/schema.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Health(const ServedFiles&, const Json&) {
  return JsonAnswer({{"status", "ok"}});
}

}  // namespace

Route HealthRoute() {
  return {.method = "GET",
          .path = "/health",
          .summary = "Reports whether the service answers.",
          .request = ObjectSchema({}),
          .example = Json::object(),
          .response = ObjectSchema({{"status", TextSchema()}}),
          .lane = Lane::kAtOnce,
          .answer = &Health};
}

}  // namespace firth::tools
