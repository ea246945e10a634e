#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/console.h"
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

namespace {

// Returns whether the bytes are valid UTF-8 without NUL.
bool IsText(absl::string_view bytes) {
  if (bytes.find('\0') != absl::string_view::npos) return false;
  return IsUtf8(std::string(bytes));
}

absl::StatusOr<std::string> Decode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const std::optional<std::string> byte = HexToBytes(digits);
    if (digits.size() != 2 || !byte.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the query: expected two hexadecimal digits after %, found \"%",
          Visible(digits), "\""));
    }
    decoded += *byte;
    i += 2;
  }
  if (!IsText(decoded)) {
    return absl::InvalidArgumentError("the query: not valid UTF-8 without NUL");
  }
  return decoded;
}

}  // namespace

FieldTable ModelParameter::Fields() {
  FieldsOf<ModelParameter> fields;
  fields.Add("model", &ModelParameter::model,
             "name of the model; may be omitted if only one is served");
  return fields;
}

absl::StatusOr<QueryParameters> ParseQuery(absl::string_view target) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  QueryParameters parsed;
  for (const absl::string_view pair :
       absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    FIRTH_ASSIGN_OR_RETURN(std::string name, Decode(sides.first));
    FIRTH_ASSIGN_OR_RETURN(std::string value, Decode(sides.second));
    for (const auto& [other, unused] : parsed) {
      if (other != name) continue;
      return ErrorAt(name, "this parameter is given more than once");
    }
    parsed.emplace_back(std::move(name), std::move(value));
  }
  return parsed;
}

absl::Status ReadParameters(const QueryParameters& query,
                            const FieldTable& table, void* parameters) {
  FieldEditor fields(table, parameters);
  for (const auto& [name, value] : query) {
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

Response JsonResponse(std::string json) {
  json.push_back('\n');
  return {.body = Share(std::move(json))};
}

}  // namespace firth::tools
