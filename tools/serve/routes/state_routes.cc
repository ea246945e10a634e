// The state of the service: its models, whether it is running, and its metrics.

#include <utility>

#include "serve/route.h"

namespace firth::tools {
namespace {

Json InfoOf(const OpenedVectors& model, const ServedFiles& files,
            const std::string& name) {
  return {{"name", name},
          {"kind", "vectors"},
          {"words", model.vectors().size()},
          {"dim", model.vectors().dim()},
          {"subwords", model.vectors().subwords() != nullptr},
          {"map", files.maps.contains(name)},
          {"evaluation", files.files.contains("analogies") ||
                             files.files.contains("similarity")},
          {"metadata", model.metadata()}};
}
Json InfoOf(const OpenedLanguageModel& model, const ServedFiles&,
            const std::string& name) {
  return {{"name", name},
          {"kind", "language-model"},
          {"layers", model.model.num_layers()},
          {"dim", model.model.dim()},
          {"metadata", model.model.metadata()}};
}
Json InfoOf(const OpenedTagger& model, const ServedFiles&,
            const std::string& name) {
  return {{"name", name}, {"kind", "tagger"}, {"tags", model.tagger.tags()}};
}
Json InfoOf(const Classifier& model, const ServedFiles&,
            const std::string& name) {
  return {{"name", name}, {"kind", "classifier"}, {"labels", model.labels()}};
}

absl::StatusOr<Response> Info(const ServedFiles& files, const NoParameters&) {
  return JsonResponse(OneLine(InfoJson(files)));
}

absl::StatusOr<Response> Health(const ServedFiles&, const NoParameters&) {
  return JsonResponse(R"({"status":"ok"})");
}

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

absl::StatusOr<Response> MetricsText(const ServedFiles& files,
                                     const NoParameters&) {
  return Response{.type = kMetricsType, .body = Share(files.metrics->Text())};
}

}  // namespace

Json InfoJson(const ServedFiles& files) {
  Json models = Json::array();
  for (const OpenedModel& model : files.models.all()) {
    models.push_back(std::visit(
        [&](const auto& content) {
          return InfoOf(*content, files, model.name);
        },
        model.content));
  }
  return {{"version", FIRTH_VERSION},
          {"models", std::move(models)},
          {"log", !files.log.empty()},
          {"text", files.files.contains("reference")}};
}

Route InfoRoute() {
  return GetRoute({.path = "/info",
                   .summary = "describe the served models and the questions "
                              "that they answer",
                   .schema = R"({"type":"object"})"},
                  &Info);
}

Route HealthRoute() {
  return GetRoute(
      {.path = "/health",
       .summary = "check that the service is running",
       .at_once = true,
       .schema =
           R"({"type":"object","properties":{"status":{"type":"string"}}})"},
      &Health);
}

Route MetricsRoute() {
  return GetRoute({.path = "/metrics",
                   .summary = "get counts and durations of requests, "
                              "connections and memory, in the text format of "
                              "Prometheus",
                   .at_once = true,
                   .type = kMetricsType},
                  &MetricsText);
}

}  // namespace firth::tools
