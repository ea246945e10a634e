// The map of a model: what it is, all of it, and a part.

#include <array>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

// JSON's numbers are doubles, maps are floats.
Json Place(float value) { return NumbersJson({&value, 1})[0]; }

absl::StatusOr<const ServedMap*> ChooseMap(const ServedFiles& files,
                                           const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  if (model->map.has_value()) return &*model->map;
  return FieldError("model", absl::StrCat("\"", model->name, "\" has no map"),
                    absl::StatusCode::kNotFound);
}

absl::StatusOr<Answer> Map(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, request));
  return JsonAnswer({{"count", map->words.size()},
                     {"bounds", NumbersJson(map->bounds)},
                     {"method", map->method},
                     {"clusters", map->clusters}});
}

absl::StatusOr<Answer> MapPoints(const ServedFiles& files,
                                 const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, request));
  return Answer{"application/octet-stream", map->points_bytes};
}

absl::StatusOr<Answer> MapWords(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, request));
  return Answer{"text/plain; charset=utf-8", map->words_text};
}

absl::StatusOr<Answer> MapTile(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const ServedMap* map, ChooseMap(files, request));
  const std::array<double, 4> bounds = {
      request["x0"].get<double>(), request["y0"].get<double>(),
      request["x1"].get<double>(), request["y1"].get<double>()};
  Json points = Json::array();
  for (const size_t i :
       WordsWithin(*map, bounds, request["limit"].get<size_t>())) {
    points.push_back({{"id", i},
                      {"word", map->words[i]},
                      {"x", Place(map->points[2 * i])},
                      {"y", Place(map->points[2 * i + 1])}});
  }
  return JsonAnswer({{"points", std::move(points)}});
}

Json OnlyModel() { return ObjectSchema({ModelProperty()}); }

}  // namespace

Route MapRoute() {
  const Json cluster = ObjectSchema({{"x", NumberSchema()},
                                     {"y", NumberSchema()},
                                     {"level", WholeSchema(0, 100)},
                                     {"words", ListSchema(TextSchema())}});
  return {
      .method = "GET",
      .path = "/map",
      .summary = "Describes the map of a model.",
      .request = OnlyModel(),
      .example = Json::object(),
      .response = ObjectSchema(
          {{"count", WholeSchema(0, UINT32_MAX, "number of words on the map")},
           {"bounds", ListSchema(NumberSchema(), 4, 4,
                                 "minimum x and y, maximum x and y")},
           {"method", TextSchema()},
           {"clusters", ListSchema(cluster)}}),
      .answer = &Map};
}

Route MapPointsRoute() {
  return {.method = "GET",
          .path = "/map/points",
          .summary =
              "Returns the positions of all words on the map: x and y of each, "
              "as little-endian float32.",
          .request = OnlyModel(),
          .example = Json::object(),
          .type = "application/octet-stream",
          .answer = &MapPoints};
}

Route MapWordsRoute() {
  return {.method = "GET",
          .path = "/map/words",
          .summary =
              "Returns the words of the map, one per line, the most frequent "
              "first.",
          .request = OnlyModel(),
          .example = Json::object(),
          .type = "text/plain; charset=utf-8",
          .answer = &MapWords};
}

Route MapTileRoute() {
  const Json point = ObjectSchema(
      {{"id", WholeSchema(0, UINT32_MAX, "number of the word on the map")},
       {"word", TextSchema()},
       {"x", NumberSchema()},
       {"y", NumberSchema()}});
  return {
      .method = "GET",
      .path = "/map/tile",
      .summary = "Returns the most frequent words in a rectangle of the map.",
      .request = ObjectSchema({ModelProperty(),
                               {"x0", NumberSchema()},
                               {"y0", NumberSchema()},
                               {"x1", NumberSchema()},
                               {"y1", NumberSchema()},
                               Optional("limit", WholeSchema(1, 10000), 100)}),
      .example = {{"x0", -1}, {"y0", -1}, {"x1", 1}, {"y1", 1}},
      .response = ObjectSchema({{"points", ListSchema(point)}}),
      .answer = &MapTile};
}

}  // namespace firth::tools
