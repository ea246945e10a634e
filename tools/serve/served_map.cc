#include "serve/served_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Returns the order of the map: most frequent first, ties as in the file.
std::vector<size_t> ByCount(const Vocabulary& vocabulary) {
  std::vector<size_t> order(vocabulary.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const absl::Span<const uint64_t> counts = vocabulary.counts();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return counts[a] > counts[b]; });
  return order;
}

std::array<float, 4> BoundsOf(const std::vector<float>& points) {
  if (points.empty()) return {0, 0, 0, 0};
  constexpr float kMost = std::numeric_limits<float>::max();
  std::array<float, 4> bounds = {kMost, kMost, -kMost, -kMost};
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t axis = i % 2;
    bounds[axis] = std::min(bounds[axis], points[i]);
    bounds[2 + axis] = std::max(bounds[2 + axis], points[i]);
  }
  return bounds;
}

std::string LittleEndian(const std::vector<float>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

absl::Status TakeWords(const WordVectors& vectors, ServedMap* map) {
  const Vocabulary& vocabulary = vectors.vocabulary();
  std::string text;
  map->points.reserve(2 * vocabulary.size());
  for (const size_t index : ByCount(vocabulary)) {
    const WordId id = ToWordId(index);
    const absl::string_view word = vocabulary.Word(id);
    if (word.find_first_of("\r\n") != absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("word ", index + 1, " contains a line end"));
    }
    map->words.emplace_back(word);
    map->counts.push_back(vocabulary.Count(id));
    for (const float value : vectors.CopyVector(id)) {
      map->points.push_back(value);
    }
    absl::StrAppend(&text, word, "\n");
  }
  map->bounds = BoundsOf(map->points);
  map->points_bytes = Share(LittleEndian(map->points));
  map->words_text = Share(std::move(text));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ServedMap> ToServedMap(const WordMap& made) {
  ServedMap map;
  map.method = made.method;
  map.clusters = made.clusters;
  FIRTH_RETURN_IF_ERROR(TakeWords(made.points, &map));
  return map;
}

Json ClustersJson(const ServedMap& map) {
  Json clusters = Json::array();
  for (const MapCluster& cluster : map.clusters) {
    clusters.push_back({{"x", cluster.x},
                        {"y", cluster.y},
                        {"level", cluster.level},
                        {"words", cluster.words}});
  }
  return clusters;
}

std::vector<size_t> WordsWithin(const ServedMap& map,
                                const std::array<double, 4>& bounds,
                                size_t limit) {
  std::vector<size_t> found;
  for (size_t i = 0; i < map.words.size() && found.size() < limit; ++i) {
    const double x = map.points[2 * i];
    const double y = map.points[2 * i + 1];
    if (x >= bounds[0] && x <= bounds[2] && y >= bounds[1] && y <= bounds[3]) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace firth::tools
