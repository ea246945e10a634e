#include "serve/openapi.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "serve/route.h"
#include "serve/schema.h"

namespace firth::tools {
namespace {

Json ErrorSchema() {
  return ObjectSchema(
      {{"error",
        ObjectSchema(
            {{"code", TextSchema()},
             {"message", TextSchema()},
             Optional(
                 "field",
                 TextSchema(
                     "the place in the request, such as queries[0].plus"))})}});
}

Json Content(const std::string& type, const Json& schema) {
  Json content = Json::object();
  content[type] = {{"schema", schema}};
  return content;
}

Json Parameters(const Route& route) {
  Json parameters = Json::array();
  for (const auto& [name, schema] : route.request["properties"].items()) {
    Json parameter = {{"name", name}, {"in", "query"}, {"schema", schema}};
    for (const Json& required : route.request["required"]) {
      if (required == name) parameter["required"] = true;
    }
    if (route.example.contains(name)) {
      parameter["example"] = route.example[name];
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Json Responses(const Route& route) {
  const bool is_json = route.type == "application/json";
  const Json schema = is_json ? route.response : Json({{"type", "string"}});
  return {{"200",
           {{"description", "done"}, {"content", Content(route.type, schema)}}},
          {"default",
           {{"description", "rejected"},
            {"content", Content("application/json",
                                {{"$ref", "#/components/schemas/Error"}})}}}};
}

Json Operation(const Route& route) {
  // "/map/points" by GET is getMapPoints.
  std::string id = absl::AsciiStrToLower(route.method);
  for (absl::string_view part :
       absl::StrSplit(route.path, absl::ByAnyChar("/."), absl::SkipEmpty())) {
    id.push_back(absl::ascii_toupper(static_cast<unsigned char>(part[0])));
    absl::StrAppend(&id, part.substr(1));
  }
  Json operation = {{"operationId", id}, {"summary", route.summary}};
  if (route.method == "GET") {
    operation["parameters"] = Parameters(route);
  } else {
    Json content = Content("application/json", route.request);
    content["application/json"]["example"] = route.example;
    operation["requestBody"] = {{"required", true},
                                {"content", std::move(content)}};
  }
  operation["responses"] = Responses(route);
  return operation;
}

absl::StatusOr<Answer> OpenApiText(const ServedFiles&, const Json&) {
  return JsonAnswer(OpenApi());
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
       {{"schemas", {{"Error", ErrorSchema()}}},
        {"securitySchemes",
         {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
      // None where the service was started without a token.
      {"security", Json::array({Json::object(), {{"token", Json::array()}}})}};
}

Route OpenapiRoute() {
  return {.method = "GET",
          .path = "/openapi.json",
          .summary = "get this description",
          .request = ObjectSchema({}),
          .example = Json::object(),
          .response = FreeObjectSchema(),
          .lane = Lane::kAtOnce,
          .answer = &OpenApiText};
}

}  // namespace firth::tools
