// The routes of the service itself, all with the method GET: its models, its
// state and metrics, the log of a training run, the maps of models, and its
// description for other programs (OpenAPI 3.1), which is made from the table of
// routes.

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "firth/status_macros.h"
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
          {"texts", files.texts.contains(name)},
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
Json InfoOf(const OpenedSeq2Seq& model, const ServedFiles&,
            const std::string& name) {
  const bool words = model.model.tokens().units == TextUnits::kWords;
  return {{"name", name},
          {"kind", "seq2seq"},
          {"tokens", words ? "words" : "characters"}};
}

absl::StatusOr<Response> Info(const ServedFiles& files, const NoParameters&) {
  return JsonResponse(OneLine(InfoJson(files)));
}

// Also of readiness: a route that needs models is refused before.
absl::StatusOr<Response> Health(const ServedFiles&, const NoParameters&) {
  return JsonResponse(R"({"status":"ok"})");
}

constexpr char kStatusSchema[] =
    R"({"type":"object","properties":{"status":{"type":"string"}}})";
constexpr char kReloadSchema[] = R"({"type":"object","properties":{
  "reloaded":{"type":"array","items":{"type":"string"},"description":
    "names of the models"}}})";
constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

absl::StatusOr<Response> MetricsText(const ServedFiles& files,
                                     const NoParameters&) {
  std::string text = files.metrics->Text();
  constexpr absl::string_view kName = "firth_model_loaded_timestamp_seconds";
  absl::StrAppend(&text, "# HELP ", kName,
                  " Time at which the model in use was loaded.\n# TYPE ", kName,
                  " gauge\n");
  for (const auto& [model, time] : files.loaded) {
    const std::string label = absl::StrReplaceAll(
        model, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
    absl::StrAppend(&text, kName, "{model=\"", label, "\"} ",
                    absl::ToUnixSeconds(time), "\n");
  }
  return Response{.type = kMetricsType, .body = Share(std::move(text))};
}

struct LogParameters {
  static FieldTable Fields();

  uint64_t after = 0;
};

FieldTable LogParameters::Fields() {
  FieldsOf<LogParameters> fields;
  fields
      .Add("after", &LogParameters::after,
           "number of bytes to skip: the value of \"next\" in the previous "
           "answer")
      .Range(0, 0x1p62);
  return fields;
}

// Maximum size of one answer; clients request the rest separately.
constexpr int64_t kMostLogBytes = int64_t{256} << 10;

// Returns the complete lines after the first `*after` bytes. If the log is
// shorter, it was started again, and is read from its beginning.
std::string LinesBehind(std::ifstream* file, int64_t* after) {
  file->seekg(0, std::ios::end);
  if (*after > file->tellg()) *after = 0;
  file->seekg(*after);
  std::string text(static_cast<size_t>(kMostLogBytes), '\0');
  file->read(text.data(), kMostLogBytes);
  text.resize(static_cast<size_t>(file->gcount()));
  const size_t end = text.rfind('\n') + 1;
  // A line that is longer than an answer is skipped piece by piece. Its last
  // piece is not a JSON object, so it is left out too.
  if (end == 0 && text.size() == kMostLogBytes) *after += kMostLogBytes;
  text.resize(end);
  return text;
}

absl::StatusOr<Response> Log(const ServedFiles& files,
                             const LogParameters& parameters) {
  // Opening a pipe would block until another program writes to it.
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(files.log, error)) {
    file.open(files.log, std::ios::binary);
  }
  if (!file.is_open()) {
    return absl::NotFoundError(
        files.log.empty() ? "no training log is served (--log FILE serves one)"
                          : "the training log cannot be read");
  }
  auto after = static_cast<int64_t>(parameters.after);
  const std::string text = LinesBehind(&file, &after);
  Json lines = Json::array();
  bool is_done = false;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    Json json = ParseJson(line);
    if (!json.is_object()) continue;
    is_done = json.contains("done");
    lines.push_back(std::move(json));
  }
  return JsonResponse(
      OneLine({{"next", after + static_cast<int64_t>(text.size())},
               {"lines", std::move(lines)},
               {"done", is_done}}));
}

struct MapParameters {
  static FieldTable Fields();

  ModelParameter model;
  std::string version;
};

FieldTable MapParameters::Fields() {
  FieldsOf<MapParameters> fields;
  fields.Part(&MapParameters::model);
  fields.Add("version", &MapParameters::version,
             "version of the map from /map/info; the status is 409 if the "
             "service has another one; may be omitted");
  return fields;
}

struct LayoutParameters {
  static FieldTable Fields();

  MapParameters map;
  std::string method;
};

FieldTable LayoutParameters::Fields() {
  FieldsOf<LayoutParameters> fields;
  fields.Part(&LayoutParameters::map);
  fields.Add("method", &LayoutParameters::method,
             "method of the layout, such as umap, which is computed if "
             "necessary; may be omitted for the first one");
  return fields;
}

struct ColumnParameters {
  static FieldTable Fields();

  MapParameters map;
  std::string name;
};

FieldTable ColumnParameters::Fields() {
  FieldsOf<ColumnParameters> fields;
  fields.Part(&ColumnParameters::map);
  fields.Add("name", &ColumnParameters::name,
             "name of the column; may be omitted for the first one");
  return fields;
}

struct TileParameters {
  static FieldTable Fields();

  MapParameters map;
  double x0 = -Field::kUnlimited;
  double y0 = -Field::kUnlimited;
  double x1 = Field::kUnlimited;
  double y1 = Field::kUnlimited;
  uint64_t limit = 100;
};

FieldTable TileParameters::Fields() {
  FieldsOf<TileParameters> fields;
  fields.Part(&TileParameters::map);
  const auto add = [&fields](const char* name, double TileParameters::*member,
                             const char* help) {
    fields.Add(name, member, help).Range(-Field::kUnlimited, Field::kUnlimited);
  };
  add("x0", &TileParameters::x0, "minimum of x");
  add("y0", &TileParameters::y0, "minimum of y");
  add("x1", &TileParameters::x1, "maximum of x");
  add("y1", &TileParameters::y1, "maximum of y");
  fields.Add("limit", &TileParameters::limit, "number of words")
      .Range(1, 10000);
  return fields;
}

constexpr char kMapSchema[] = R"({"type":"object","properties":{
  "version":{"type":"string","description":
    "changes if the service loads another map, other labels or other vectors"},
  "count":{"type":"integer","description":"number of words on the map"},
  "has_counts":{"type":"boolean","description":
    "whether the file has counts of words; otherwise /map/counts has zeros"},
  "bounds":{"type":"array","items":{"type":"number"},"description":
    "minimum x and y, then maximum x and y"},
  "method":{"type":"string"},
  "methods":{"type":"array","items":{"type":"string"},"description":
    "methods of the layouts that can be requested"},
  "ready":{"type":"array","items":{"type":"string"},"description":
    "methods whose layouts are computed"},
  "columns":{"type":"array","items":{"type":"object"},"description":
    "facts about the words (--labels), with name and type; categorical ones with values, continuous ones with minimum and maximum"},
  "clusters":{"type":"array","items":{"type":"object","properties":{
    "x":{"type":"number"},"y":{"type":"number"},
    "level":{"type":"integer","description":"0 is the coarsest"},
    "words":{"type":"array","items":{"type":"string"}}}}}}})";

constexpr char kTileSchema[] = R"({"type":"object","properties":{
  "points":{"type":"array","items":{"type":"object","properties":{
    "id":{"type":"integer","description":"number of the word on the map"},
    "word":{"type":"string"},"x":{"type":"number"},"y":{"type":"number"}}}}}})";

absl::StatusOr<const ServedMap*> ChooseMap(const ServedFiles& files,
                                           const MapParameters& parameters) {
  const absl::StatusOr<const OpenedModel*> model =
      files.models.Find(ModelKind::kVectors, parameters.model.model);
  if (!model.ok()) {
    return ErrorAt("model", model.status().message(), model.status().code());
  }
  const auto map = files.maps.find((*model)->name);
  if (map == files.maps.end()) {
    return ErrorAt(
        "model",
        absl::StrCat("\"", (*model)->name, "\" is served without a map"),
        absl::StatusCode::kNotFound);
  }
  const std::string& version = map->second->version();
  if (parameters.version.empty() || parameters.version == version) {
    return map->second.get();
  }
  return ErrorAt(
      "version",
      absl::StrCat("the service has loaded another map, version ", version,
                   "; request /map/info and all parts of the map "
                   "again"),
      absl::StatusCode::kAborted);
}

absl::StatusOr<std::shared_ptr<const ServedLayout>> ChooseLayout(
    const ServedFiles& files, const LayoutParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map,
                         ChooseMap(files, parameters.map));
  auto layout = map->Layout(parameters.method);
  if (layout.ok()) return layout;
  return ErrorAt("method", layout.status().message(), layout.status().code());
}

absl::StatusOr<Response> Map(const ServedFiles& files,
                             const LayoutParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map,
                         ChooseMap(files, parameters.map));
  FIRTH_ASSIGN_OR_RETURN(const auto layout, ChooseLayout(files, parameters));
  Json bounds = Json::array();
  for (const float bound : layout->bounds) bounds.push_back(NumberJson(bound));
  return JsonResponse(OneLine({{"version", map->version()},
                               {"count", map->words().size()},
                               {"has_counts", map->has_counts()},
                               {"bounds", std::move(bounds)},
                               {"method", layout->method},
                               {"methods", map->methods()},
                               {"ready", map->ready()},
                               {"columns", ColumnsJson(*map)},
                               {"clusters", ClustersJson(*layout)}}));
}

constexpr char kBytes[] = "application/octet-stream";

absl::StatusOr<Response> MapPoints(const ServedFiles& files,
                                   const LayoutParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const auto layout, ChooseLayout(files, parameters));
  return Response{.type = kBytes, .body = layout->bytes};
}

absl::StatusOr<Response> MapWords(const ServedFiles& files,
                                  const MapParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, parameters));
  return Response{.type = "text/plain; charset=utf-8",
                  .body = map->words_text()};
}

absl::StatusOr<Response> MapCounts(const ServedFiles& files,
                                   const MapParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, parameters));
  return Response{.type = kBytes, .body = map->counts_bytes()};
}

absl::StatusOr<Response> MapColumn(const ServedFiles& files,
                                   const ColumnParameters& parameters) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map,
                         ChooseMap(files, parameters.map));
  for (const LabelColumn& column : map->columns()) {
    if (!parameters.name.empty() && column.name != parameters.name) continue;
    return Response{.type = kBytes, .body = Share(BytesOf(column.values))};
  }
  return ErrorAt("name", "there is no such column; /map/info lists them",
                 absl::StatusCode::kNotFound);
}

absl::StatusOr<Response> MapTile(const ServedFiles& files,
                                 const TileParameters& tile) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, tile.map));
  FIRTH_ASSIGN_OR_RETURN(const auto layout, map->Layout(""));
  const std::array<double, 4> bounds = {tile.x0, tile.y0, tile.x1, tile.y1};
  Json points = Json::array();
  for (const size_t i : WordsWithin(*layout, bounds, tile.limit)) {
    points.push_back({{"id", i},
                      {"word", map->words()[i]},
                      {"x", NumberJson(layout->points[2 * i])},
                      {"y", NumberJson(layout->points[2 * i + 1])}});
  }
  return JsonResponse(OneLine({{"points", std::move(points)}}));
}

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

// Returns the schema of a request without what the service refuses: too many
// requests, paths of files, and fields that it sets itself. These fields are in
// "x-elsewhere", for the documentation of the other interfaces.
Json ServedSchema(const Question& question) {
  Json schema = Json::parse(RequestSchema(question));
  Json& requests = schema["properties"]["requests"];
  requests["maxItems"] = AskLimits().most_requests;
  if (schema["properties"].contains("queries")) {
    schema["properties"]["queries"]["maxItems"] = AskLimits().most_requests;
  }
  Json& items = requests["items"];
  for (const Field& field : question.request->fields()) {
    if (field.role != FieldRole::kPlace && field.role != FieldRole::kWork) {
      continue;
    }
    items["x-elsewhere"][field.name] = items["properties"][field.name];
    items["properties"].erase(field.name);
  }
  return schema;
}

Json RequestBody(const Question& question) {
  Json content = Content("application/json", ServedSchema(question));
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
  } else if (route.post) {
    Json content = Content("application/json", Json::parse(route.body_schema));
    content["application/json"]["example"] = Json::parse(route.example);
    operation["requestBody"] = {{"required", true},
                                {"content", std::move(content)}};
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

std::vector<Route> OwnRoutes() {
  return {
      GetRoute({.path = "/info",
                .summary = "describe the served models and the questions "
                           "that they answer",
                .schema = R"({"type":"object"})"},
               &Info),
      GetRoute({.path = "/map/info",
                .summary = "describe the map of a model",
                .may_be_slow = true,
                .schema = kMapSchema},
               &Map),
      GetRoute({.path = "/map/points",
                .summary = "get the positions of all words of the map: x "
                           "and y of each, as little-endian float32",
                .may_be_slow = true,
                .type = kBytes},
               &MapPoints),
      GetRoute({.path = "/map/counts",
                .summary = "get the counts of all words of the map, as "
                           "little-endian float64; 0 if they are not known",
                .type = kBytes},
               &MapCounts),
      GetRoute({.path = "/map/column",
                .summary = "get a fact about all words of the map, as "
                           "little-endian float32: a number, or the index of a "
                           "category; NaN if a word has none",
                .type = kBytes},
               &MapColumn),
      GetRoute({.path = "/map/words",
                .summary = "get the words of the map, one per line, the "
                           "most frequent first",
                .type = "text/plain; charset=utf-8"},
               &MapWords),
      GetRoute(
          {.path = "/map/tile",
           .summary = "get the most frequent words in a rectangle of the map",
           .example = "?x0=-1&y0=-1&x1=1&y1=1",
           .schema = kTileSchema},
          &MapTile),
      GetRoute({.path = "/log",
                .summary = "read the log of a training run (firth train --log)",
                .example = "?after=0",
                .schema = R"({"type":"object","properties":{
         "next":{"type":"integer"},
         "lines":{"type":"array","items":{"type":"object"},"description":
           "the entries of the log, as the training run wrote them"},
         "done":{"type":"boolean","description":
           "whether the last entry ends the training run"}}})"},
               &Log),
      GetRoute({.path = "/health",
                .usual_path = "/healthz",
                .summary = "check that the service is running",
                .needs = Needs::kNothing,
                .at_once = true,
                .schema = kStatusSchema},
               &Health),
      GetRoute({.path = "/ready",
                .usual_path = "/readyz",
                .summary = "check that the models are loaded",
                .at_once = true,
                .schema = kStatusSchema},
               &Health),
      GetRoute({.path = "/metrics",
                .usual_path = "/metrics",
                .summary = "get counts and durations of requests, "
                           "connections and memory, in the text format of "
                           "Prometheus",
                .needs = Needs::kToken,
                .at_once = true,
                .type = kMetricsType},
               &MetricsText),
      GetRoute({.path = "/openapi.json",
                .summary = "get this description",
                .needs = Needs::kToken,
                .at_once = true,
                .schema = R"({"type":"object"})"},
               &OpenApiText),
      {.method = "POST",
       .path = "/admin/reload",
       .usual_path = "/admin/reload",
       .summary = "load all models, maps and labels again from their files, "
                  "and the token; if one of the files cannot be read, all of "
                  "them stay as they are, and the answer is an error",
       .reloads = true,
       .parameters = &TableFor<NoParameters>(),
       .schema = kReloadSchema}};
}

}  // namespace firth::tools
