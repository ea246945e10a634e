#include "serve/route.h"

namespace firth::tools {
namespace {

constexpr char kType[] = "text/plain; version=0.0.4; charset=utf-8";

absl::StatusOr<Response200> MetricsText(const ServedFiles& files,
                                        const NoParameters&) {
  return Response200{kType, Share(files.metrics->Text())};
}

}  // namespace

Route MetricsRoute() {
  return GetRoute({.path = "/metrics",
                   .summary = "get counts and durations of requests, "
                              "connections and memory, in the text format of "
                              "Prometheus",
                   .at_once = true,
                   .type = kType},
                  &MetricsText);
}

}  // namespace firth::tools
