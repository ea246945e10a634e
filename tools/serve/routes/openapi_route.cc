// Describes the service for other programs (OpenAPI 3.1). The description is
// made from the table of routes.

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "serve/route.h"

namespace firth::tools {
namespace {

constexpr char kErrorSchema[] = R"({"type":"object","required":["error"],
  "properties":{"error":{"type":"object","required":["code","message"],
    "properties":{"code":{"type":"string"},"message":{"type":"string"},
      "field":{"type":"string","description":
        "the position in the request, such as requests[0].top"}}}}})";

Json Content(const std::string& type, const Json& schema) {
  Json content = Json::object();
  content[type] = {{"schema", schema}};
  return content;
}

Json Parameters(const Route& route) {
  Json parameters = Json::array();
  const Json schema = Json::parse(FieldsSchema(*route.parameters));
  for (const auto& [name, property] : schema["properties"].items()) {
    parameters.push_back(
        {{"name", name}, {"in", "query"}, {"schema", property}});
  }
  return parameters;
}

Json RequestBody(const Question& question) {
  Json content =
      Content("application/json", Json::parse(RequestSchema(question)));
  Json& example = content["application/json"]["example"] = Json::object();
  if (NamesModels(question)) {
    for (const Slot& slot : question.slots) {
      if (slot.required) example[slot.name] = slot.name;
    }
  }
  example["requests"] = Json::array({Json::parse(question.example)});
  return {{"required", true}, {"content", std::move(content)}};
}

Json SchemaOf(const Route& route) {
  if (route.question != nullptr) {
    return Json::parse(AnswersSchema(*route.question));
  }
  return route.schema.empty() ? Json({{"type", "string"}})
                              : Json::parse(route.schema);
}

Json Responses(const Route& route) {
  return {{"200",
           {{"description", "done"},
            {"content", Content(route.type, SchemaOf(route))}}},
          {"default",
           {{"description", "rejected"},
            {"content", Content("application/json",
                                {{"$ref", "#/components/schemas/Error"}})}}}};
}

Json Operation(const Route& route) {
  // The id of GET /map/points is getMapPoints.
  std::string id = absl::AsciiStrToLower(route.method);
  for (absl::string_view part :
       absl::StrSplit(route.path, absl::ByAnyChar("/.-"), absl::SkipEmpty())) {
    id.push_back(absl::ascii_toupper(static_cast<unsigned char>(part[0])));
    absl::StrAppend(&id, part.substr(1));
  }
  Json operation = {{"operationId", id}, {"summary", route.summary}};
  if (route.question != nullptr) {
    operation["description"] = DescriptionOf(*route.question);
    operation["requestBody"] = RequestBody(*route.question);
    operation["x-command"] = CommandOf(*route.question);
  } else {
    operation["parameters"] = Parameters(route);
  }
  operation["responses"] = Responses(route);
  return operation;
}

absl::StatusOr<Response> OpenApiText(const ServedFiles&, const NoParameters&) {
  return JsonResponse(OneLine(OpenApi()));
}

}  // namespace

Json OpenApi() {
  Json paths = Json::object();
  for (const Route& route : Routes()) {
    paths[absl::StrCat(kApiPrefix, route.path)]
         [absl::AsciiStrToLower(route.method)] = Operation(route);
  }
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Firth"},
        {"version", FIRTH_VERSION},
        {"description",
         "Word vectors, language models, taggers and classifiers over "
         "HTTP."}}},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", {{"Error", Json::parse(kErrorSchema)}}},
        {"securitySchemes",
         {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
      // No token is needed if the service was started without one.
      {"security", Json::array({Json::object(), {{"token", Json::array()}}})}};
}

Route OpenapiRoute() {
  return GetRoute({.path = "/openapi.json",
                   .summary = "get this description",
                   .at_once = true,
                   .schema = R"({"type":"object"})"},
                  &OpenApiText);
}

}  // namespace firth::tools
