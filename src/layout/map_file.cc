// A map is stored as a vector file, which all commands can read. What only a
// map has is JSON in the metadata. The .tsv table is for other programs.

#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/quote.h"
#include "firth/layout.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"
#include "layout/point.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr char kKey[] = "firth.map";
constexpr absl::string_view kTable = ".tsv";
constexpr absl::string_view kModel = ".safetensors";
constexpr uint64_t kMostLevel = 100;

// Rounds to the six digits that a map needs, instead of the seventeen of a
// double.
double ShortNumber(float value) {
  double number = 0;
  return absl::SimpleAtod(absl::StrCat(value), &number) ? number : value;
}

std::string MapJson(const WordMap& map) {
  OrderedJson clusters = OrderedJson::array();
  for (const MapCluster& cluster : map.clusters) {
    clusters.push_back({{"x", ShortNumber(cluster.x)},
                        {"y", ShortNumber(cluster.y)},
                        {"level", cluster.level},
                        {"words", cluster.words}});
  }
  return DumpJson(OrderedJson({{"method", map.method},
                               {"source", map.source},
                               {"seed", map.seed},
                               {"clusters", std::move(clusters)}}));
}

// Throws nlohmann's exceptions and std::out_of_range.
MapCluster ClusterOf(const Json& json) {
  MapCluster cluster;
  cluster.x = json.at("x").get<float>();
  cluster.y = json.at("y").get<float>();
  cluster.level = static_cast<int>(CountAt(json, "level", kMostLevel));
  cluster.words = json.at("words").get<std::vector<std::string>>();
  if (!std::isfinite(cluster.x) || !std::isfinite(cluster.y) ||
      cluster.words.empty()) {
    throw std::out_of_range("a cluster has no position or no words");
  }
  return cluster;
}

absl::Status ReadMapJson(const std::string& text, WordMap* map) {
  try {
    const Json json = ParseJson(text);
    map->method = json.at("method").get<std::string>();
    map->source = json.at("source").get<std::string>();
    map->seed = CountAt(json, "seed");
    for (const Json& cluster : json.at("clusters")) {
      map->clusters.push_back(ClusterOf(cluster));
    }
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    throw;  // The file may be a map.
  } catch (const std::exception& exception) {
    return absl::InvalidArgumentError(exception.what());
  }
}

// Returns the first word of the nearest cluster of level 0, or "" if there is
// none.
absl::string_view ClusterNear(const WordMap& map, Point point) {
  absl::string_view nearest;
  float least = std::numeric_limits<float>::infinity();
  for (const MapCluster& cluster : map.clusters) {
    const float squared = SquaredLength(point - Point{cluster.x, cluster.y});
    if (cluster.level != 0 || cluster.words.empty() || squared >= least) {
      continue;
    }
    least = squared;
    nearest = cluster.words[0];
  }
  return nearest;
}

absl::Status CheckNoTabs(const Vocabulary& words, const std::string& path) {
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word = words.Word(ToWordId(i));
    if (word.find_first_of("\t\n\r") == word.npos) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the word ", Quote(word),
                     " contains a tab or a line end, which would break the "
                     "table; write a .safetensors map instead"));
  }
  return absl::OkStatus();
}

absl::Status SaveTable(const WordMap& map, const std::string& path) {
  std::string text;
  for (size_t i = 0; i < map.points.size(); ++i) {
    const std::vector<float> place = map.points.CopyVector(ToWordId(i));
    absl::StrAppendFormat(&text, "%s\t%.6g\t%.6g\t%s\n",
                          map.points.vocabulary().Word(ToWordId(i)), place[0],
                          place[1], ClusterNear(map, {place[0], place[1]}));
  }
  return WriteTextFile(path, text);
}

}  // namespace

absl::Status CheckMapFile(const Vocabulary& words, const std::string& path) {
  if (absl::EndsWith(path, kTable)) return CheckNoTabs(words, path);
  if (absl::EndsWith(path, kModel)) {
    return CheckWords(words, NoSubwords(), path, kModel.substr(1));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the name of a map must end in ", kModel, " or ", kTable));
}

absl::Status SaveMap(const WordMap& map, const std::string& path) {
  FIRTH_RETURN_IF_ERROR(CheckMapFile(map.points.vocabulary(), path));
  if (absl::EndsWith(path, kTable)) return SaveTable(map, path);
  const VectorFile file = {.vectors = map.points,
                           .output = {},
                           .output_bias = {},
                           .metadata = {{kKey, MapJson(map)}}};
  return SaveVectorFile(file, path, kModel.substr(1));
}

absl::StatusOr<WordMap> AsMap(VectorFile file, const std::string& path) {
  if (file.vectors.dim() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not a map, since its vectors have ", file.vectors.dim(),
        " dimensions instead of 2; \"firth map\" makes a map from vectors"));
  }
  WordMap map;
  map.points = std::move(file.vectors);
  const auto json = file.metadata.find(kKey);
  if (json == file.metadata.end()) return map;
  const absl::Status status = ReadMapJson(json->second, &map);
  if (status.ok()) return map;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": metadata \"", kKey,
      "\": not a map as \"firth map\" writes it: ", status.message()));
}

absl::StatusOr<WordMap> LoadMap(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(VectorFile file,
                         LoadVectorFile(path, {.only_vectors = true}));
  return AsMap(std::move(file), path);
}

}  // namespace firth
