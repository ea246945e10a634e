// A map of words with positions in a plane, as "firth map" writes it.

#ifndef FIRTH_TOOLS_SERVE_SERVED_MAP_H_
#define FIRTH_TOOLS_SERVE_SERVED_MAP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/json.h"
#include "firth/layout.h"
#include "serve/request.h"

namespace firth::tools {

struct ServedMap {
  std::string method;              // Method of the layout, such as "umap".
  std::vector<std::string> words;  // Most frequent first.
  std::vector<uint64_t> counts;    // Count of each word; 0 if not known.
  std::vector<float> points;       // Coordinates x and y of each word.
  std::array<float, 4> bounds;     // Minimum x and y, maximum x and y.
  std::vector<MapCluster> clusters;

  // Bodies of responses.
  SharedText points_bytes;  // The points as little-endian float32.
  SharedText words_text;    // One word per line.
};

// Prepares a map for serving. Errors: InvalidArgument, a word with a line end.
absl::StatusOr<ServedMap> ToServedMap(const WordMap& map);

// Returns the labels of the map: [{"x", "y", "level", "words"}].
Json ClustersJson(const ServedMap& map);

// Returns the indexes of the most frequent words in a rectangle, including its
// boundary, at most `limit`.
std::vector<size_t> WordsWithin(const ServedMap& map,
                                const std::array<double, 4>& bounds,
                                size_t limit);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVED_MAP_H_
