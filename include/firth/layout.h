// Maps: words as points in two dimensions. Words whose vectors have similar
// directions are near one another, and dense regions get labels.

#ifndef FIRTH_LAYOUT_H_
#define FIRTH_LAYOUT_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/answer.h"
#include "firth/progress.h"
#include "firth/vector_io.h"
#include "firth/vocabulary.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Layout methods. All of them use directions only: the distance of two words
// depends on their cosine.

// UMAP: words attract their nearest neighbors and repel random others (McInnes,
// Healy and Melville, "UMAP: Uniform Manifold Approximation and Projection for
// Dimension Reduction", 2018). Preserves neighbors, and partly the arrangement
// of groups.
struct UmapMethod {
  static constexpr absl::string_view kName = "umap";
  // Number of neighbors that attract a word, including itself, 2 to 1000.
  int neighbors = 15;
  // Distance below which words do not attract one another, 0 to 1.
  double min_dist = 0.1;
  // 1 to 100000; 0 means 500 for up to 10,000 words, otherwise 200.
  int epochs = 0;

  static FieldTable Fields();
};

// t-SNE: matches the neighbor probabilities of points to those of vectors (van
// der Maaten, "Accelerating t-SNE using Tree-Based Algorithms", 2014).
// Preserves more of the nearest neighbors than UMAP and takes several times as
// long. Distances between distant groups mean little.
struct TsneMethod {
  static constexpr absl::string_view kName = "tsne";
  // Approximate number of effective neighbors, 1 to 300.
  double perplexity = 30;
  int epochs = 0;  // 1 to 100000; 0 means 1000.

  static FieldTable Fields();
};

// Projection onto the plane in which the unit vectors vary most. It is the
// starting point of the other methods. Fast, but does not preserve neighbors
// reliably.
struct PcaMethod {
  static constexpr absl::string_view kName = "pca";
};

struct MapOptions {
  std::variant<UmapMethod, TsneMethod, PcaMethod> method;
  // How firmly words of the old map keep their positions, 0 to 1. With 1 they
  // stay; with 0 they only start there; between, a spring pulls them back.
  double hold = 1;
  uint64_t seed = 1;  // Seed of all random choices.
  int threads = 0;    // 0 means all cores.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// A dense region of the map.
struct MapCluster {
  float x = 0;
  float y = 0;
  int level = 0;  // Level of detail: 0 is visible from farthest away.
  std::vector<std::string> words;  // From 1 to 5 words.

  static AnswerTable Members() {
    return {{"x", &MapCluster::x},
            {"y", &MapCluster::y},
            {"level", &MapCluster::level, "0 is the coarsest, 2 the finest"},
            {"words", &MapCluster::words, "the most frequent words nearby"}};
  }
};

struct WordMap {
  // Coordinates x and y, [words, 2], with the words' counts.
  WordVectors points;
  std::vector<MapCluster> clusters;  // Ordered by level, then densest first.
  std::string method;  // Name of the method: "umap", "tsne" or "pca".
  std::string source;  // Human-readable description of the vectors.
  uint64_t seed = 0;
};

// Lays out all words whose vectors are finite and not zero; others are left
// out. Words keep their order, and labels assume that the first words are the
// most frequent. If `old_map` is given, the same method must be used. Words in
// it then start at their old positions and keep them as options.hold
// determines; others start among their neighbors. The result depends on the
// seed, not on the number of threads, and is the same on every machine of a
// kind. Progress is reported as TrainProgress::fraction. Errors:
// InvalidArgument, options, no word with a direction, or an old map of another
// method or without a common word; Cancelled (hooks.stop); ResourceExhausted.
absl::StatusOr<WordMap> MakeMap(const WordVectors& vectors,
                                const MapOptions& options,
                                const WordMap* old_map = nullptr,
                                const Hooks& hooks = {});

// Writes a map. A .safetensors file holds vectors of 2 dimensions, and
// everything else as JSON in its metadata "firth.map":
//
//   {"method": "umap", "source": "vectors.bin", "seed": 1,
//    "clusters": [{"x": 1.5, "y": -2, "level": 0, "words": ["king"]}]}
//
// A .tsv file has lines of word, x, y and cluster, separated by tabs. The
// cluster is named by the first word of the nearest cluster of level 0. Errors:
// those of SaveVectorFile(); InvalidArgument, another extension, or a word with
// a tab or line end for .tsv.
absl::Status SaveMap(const WordMap& map, const std::string& path);

// Checks whether SaveMap() could write these words to `path`; call it before
// the work. Errors: as for SaveMap().
absl::Status CheckMapFile(const Vocabulary& words, const std::string& path);

// Converts vectors of two dimensions to a map: a .safetensors file of
// SaveMap(), or any others, which then have no clusters and no method. `path`
// is used in error messages. Errors: InvalidArgument, vectors of another
// dimension, or invalid map metadata.
absl::StatusOr<WordMap> AsMap(VectorFile file, const std::string& path);

// Loads a map file. Errors: as for AsMap() and LoadVectorFile().
absl::StatusOr<WordMap> LoadMap(const std::string& path);

}  // namespace firth

#endif  // FIRTH_LAYOUT_H_
