// The map of a model: its description, all of its points, and a part of them.

#include <array>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "serve/route.h"

namespace firth::tools {
namespace {

struct TileParameters {
  static FieldTable Fields();

  ModelParameter model;
  double x0 = -Field::kUnlimited;
  double y0 = -Field::kUnlimited;
  double x1 = Field::kUnlimited;
  double y1 = Field::kUnlimited;
  uint64_t limit = 100;
};

FieldTable TileParameters::Fields() {
  FieldsOf<TileParameters> fields;
  fields.Part(&TileParameters::model);
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
  "count":{"type":"integer","description":"number of words on the map"},
  "bounds":{"type":"array","items":{"type":"number"},"description":
    "minimum x and y, then maximum x and y"},
  "method":{"type":"string"},
  "clusters":{"type":"array","items":{"type":"object","properties":{
    "x":{"type":"number"},"y":{"type":"number"},
    "level":{"type":"integer","description":"0 is the coarsest"},
    "words":{"type":"array","items":{"type":"string"}}}}}}})";

constexpr char kTileSchema[] = R"({"type":"object","properties":{
  "points":{"type":"array","items":{"type":"object","properties":{
    "id":{"type":"integer","description":"number of the word on the map"},
    "word":{"type":"string"},"x":{"type":"number"},"y":{"type":"number"}}}}}})";

absl::StatusOr<const ServedMap*> ChooseMap(const ServedFiles& files,
                                           const ModelParameter& parameter) {
  const absl::StatusOr<const OpenedModel*> model =
      files.models.Find(ModelKind::kVectors, parameter.model);
  if (!model.ok()) {
    return ErrorAt("model", model.status().message(), model.status().code());
  }
  const auto map = files.maps.find((*model)->name);
  if (map != files.maps.end()) return &map->second;
  return ErrorAt(
      "model", absl::StrCat("\"", (*model)->name, "\" is served without a map"),
      absl::StatusCode::kNotFound);
}

absl::StatusOr<Response> Map(const ServedFiles& files,
                             const ModelParameter& parameter) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, parameter));
  Json bounds = Json::array();
  for (const float bound : map->bounds) bounds.push_back(NumberJson(bound));
  return JsonResponse(OneLine({{"count", map->words.size()},
                               {"bounds", std::move(bounds)},
                               {"method", map->method},
                               {"clusters", ClustersJson(*map)}}));
}

absl::StatusOr<Response> MapPoints(const ServedFiles& files,
                                   const ModelParameter& parameter) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, parameter));
  return Response{.type = "application/octet-stream",
                  .body = map->points_bytes};
}

absl::StatusOr<Response> MapWords(const ServedFiles& files,
                                  const ModelParameter& parameter) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, parameter));
  return Response{.type = "text/plain; charset=utf-8", .body = map->words_text};
}

absl::StatusOr<Response> MapTile(const ServedFiles& files,
                                 const TileParameters& tile) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, tile.model));
  const std::array<double, 4> bounds = {tile.x0, tile.y0, tile.x1, tile.y1};
  Json points = Json::array();
  for (const size_t i : WordsWithin(*map, bounds, tile.limit)) {
    points.push_back({{"id", i},
                      {"word", map->words[i]},
                      {"x", NumberJson(map->points[2 * i])},
                      {"y", NumberJson(map->points[2 * i + 1])}});
  }
  return JsonResponse(OneLine({{"points", std::move(points)}}));
}

}  // namespace

Route MapRoute() {
  return GetRoute({.path = "/map/info",
                   .summary = "describe the map of a model",
                   .schema = kMapSchema},
                  &Map);
}

Route MapPointsRoute() {
  return GetRoute({.path = "/map/points",
                   .summary = "get the positions of all words of the map: x "
                              "and y of each, as little-endian float32",
                   .type = "application/octet-stream"},
                  &MapPoints);
}

Route MapWordsRoute() {
  return GetRoute({.path = "/map/words",
                   .summary = "get the words of the map, one per line, the "
                              "most frequent first",
                   .type = "text/plain; charset=utf-8"},
                  &MapWords);
}

Route MapTileRoute() {
  return GetRoute(
      {.path = "/map/tile",
       .summary = "get the most frequent words in a rectangle of the map",
       .example = "?x0=-1&y0=-1&x1=1&y1=1",
       .schema = kTileSchema},
      &MapTile);
}

}  // namespace firth::tools
