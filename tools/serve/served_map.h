// A map: words with places in a plane, as "firth map" writes it.

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
  std::string method;              // "umap", "pca", ...
  std::vector<std::string> words;  // the most frequent first
  std::vector<uint64_t> counts;    // one a word; 0: not known
  std::vector<float> points;       // x and y of each word
  std::array<float, 4> bounds;     // least x and y, greatest x and y
  std::vector<MapCluster> clusters;

  // Made once, sent often.
  SharedText points_bytes;  // float32, little-endian
  SharedText words_text;    // a word a line
};

// Makes it ready to be served. Errors: InvalidArgument, a word with a line end.
absl::StatusOr<ServedMap> ToServedMap(const WordMap& map);

// Returns the labels of the map: [{"x", "y", "level", "words"}].
Json ClustersJson(const ServedMap& map);

// The positions in the map of the at most `limit` most frequent words in the
// rectangle, whose border belongs to it.
std::vector<size_t> WordsWithin(const ServedMap& map,
                                const std::array<double, 4>& bounds,
                                size_t limit);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_SERVED_MAP_H_
