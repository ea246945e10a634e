#include "serve/route.h"

namespace firth::tools {
namespace {

absl::StatusOr<Response200> Health(const ServedFiles&, const NoParameters&) {
  return JsonResponse(R"({"status":"ok"})");
}

}  // namespace

Route HealthRoute() {
  return GetRoute(
      {.path = "/health",
       .summary = "check that the service is running",
       .at_once = true,
       .schema =
           R"({"type":"object","properties":{"status":{"type":"string"}}})"},
      &Health);
}

}  // namespace firth::tools
