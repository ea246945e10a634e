#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "serve/route.h"

namespace firth::tools {

using MakeRoute = Route();

MakeRoute InfoRoute;
MakeRoute MapRoute;
MakeRoute MapPointsRoute;
MakeRoute MapWordsRoute;
MakeRoute MapTileRoute;
MakeRoute LogRoute;
MakeRoute HealthRoute;
MakeRoute MetricsRoute;
MakeRoute OpenapiRoute;

FieldTable ModelParameter::Fields() {
  FieldsOf<ModelParameter> fields;
  fields.Add("model", &ModelParameter::model,
             "name of the model; may be omitted if only one is served");
  return fields;
}

absl::Status ReadParameters(const Target& target, const FieldTable& table,
                            void* parameters) {
  FieldEditor fields(table, parameters);
  for (const auto& [name, value] : target.parameters) {
    const Field* const field = fields.Find(name);
    if (field == nullptr) {
      return ErrorAt(name, absl::StrCat("there is no such parameter; the "
                                        "parameters are ",
                                        absl::StrJoin(fields.names(), ", ")));
    }
    if (!fields.SetText(name, value)) {
      return ErrorAt(name, absl::StrCat("expected ", field->Expected(),
                                        ", found ", OneLine(Json(value))));
    }
  }
  return absl::OkStatus();
}

const std::vector<Route>& Routes() {
  static const auto* const routes = [] {
    auto* const made = new std::vector<Route>{InfoRoute()};
    for (const Question& question : Questions()) {
      made->push_back({.method = "POST",
                       .path = absl::StrCat("/", question.name),
                       .summary = question.summary,
                       .lane = question.lane,
                       .question = &question});
    }
    for (MakeRoute* make :
         {&MapRoute, &MapPointsRoute, &MapWordsRoute, &MapTileRoute, &LogRoute,
          &HealthRoute, &MetricsRoute, &OpenapiRoute}) {
      made->push_back(make());
    }
    return made;
  }();
  return *routes;
}

Response200 JsonResponse(std::string json) {
  json.push_back('\n');
  return {"application/json", Share(std::move(json))};
}

}  // namespace firth::tools
